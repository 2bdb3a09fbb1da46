"""Search engines that already hold an index: one folder for each, none importing another.

An engine's own package is an extra, imported inside the function that needs it.
"""
