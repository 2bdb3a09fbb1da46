"""Bare numeric loops compiled by numba; nothing here validates, allocates Python objects or prints.

To add one: write the loop in a module of its own, decorate it with `jit`, call it from a wrapper
that imports it lazily, and test it against a plain reference.
"""
