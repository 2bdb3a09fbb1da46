"""How many tokens of a language model a text is: cl100k_base, exactly, without a network.

Counting is tiktoken's; the vocabulary, which tiktoken would download, comes from a package and is
verified against the digest that tiktoken itself demands. Where the extra `tokens` isn't installed,
`token_counter(exact=False)` gives an estimate that says it is one: whoever shows such a count shows
the counter's name with it.
"""

from qidf.token_counts.counter import (
    ENCODING,
    TokenCounter,
    count_tokens,
    count_tokens_batch,
    token_counter,
)
from qidf.token_counts.estimate import estimate_tokens

__all__ = [
    "ENCODING",
    "TokenCounter",
    "count_tokens",
    "count_tokens_batch",
    "estimate_tokens",
    "token_counter",
]
