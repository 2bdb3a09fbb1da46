"""The loops that take the time, in plain C: arrays in, arrays out.

What belongs here are loops: nothing in C validates, allocates or decides. A loop has its prototype
and its contract in `qidf.h`, its body in the `.c` file of its subject, and its declaration for
Python in the `.py` file of the same name. All of them make one library (`library.py` loads it,
`build.py` compiles it), which needs no header of Python's, so that it serves every Python 3.

To add one: write these three, call it from the module whose work it does, and test it by name
against a plain reference. Callers own all memory; a call lets go of the interpreter's lock.
"""
