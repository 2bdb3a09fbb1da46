"""The constants of the hash that term tables use: FNV-1a, 32 bits.

It takes one multiplication a byte, so a tokenizer hashes a word while it looks for its end, and
plain Python can compute it too. Its values are part of the index format: never change them.
"""

from __future__ import annotations

FNV_BASIS = 2166136261
FNV_PRIME = 16777619
