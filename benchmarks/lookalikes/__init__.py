"""Stand-ins, built from package registries, for datasets that can't be reached everywhere.

Each is written in the layout of the original, so that the original's reader and study take it as it
is. What comes out says something about the task, not about the original's own figures.
"""
