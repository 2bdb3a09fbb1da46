"""English plurals as their singular, by endings alone.

The rules are those of the S-stemmer (Harman 1991, How effective is suffixing?), which folds little
else than plurals, and two more for what code is full of: classes, addresses, indexes, mutexes.
"""

from __future__ import annotations

# Shorter words, such as `is`, `bus` and `tls`, are what they are.
MIN_LENGTH = 4


def fold_plural(token: str) -> str:
    """The singular of a token that ends like an English plural; any other as it is."""
    if len(token) < MIN_LENGTH or token[-1] != "s" or not token.isascii():
        return token
    if token[-2] != "e":
        # status, class
        return token if token[-2] in "us" else token[:-1]
    if token[-3] == "i" and len(token) > MIN_LENGTH and token[-4] not in "ae":
        return f"{token[:-3]}y"
    if token[-3] == "x" or token.endswith("sses"):
        return token[:-2]
    return token if token[-3] in "aeo" else token[:-1]
