"""Code search against what agents use: quality, prompts, index time, query time."""
