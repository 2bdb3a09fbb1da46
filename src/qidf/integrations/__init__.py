"""How do frameworks use it? One file for each framework, imported only by those who have it.

What belongs here: objects a framework can hold where it expects one of its own. What they share,
passages with texts, is in `passages.py` and knows no framework. A new framework gets a file, an
extra of the same name, and a test that runs the framework itself.
"""
