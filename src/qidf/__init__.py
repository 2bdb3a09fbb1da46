"""BM25 that finds the one right file."""
