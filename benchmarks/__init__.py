"""Benchmarks and the corpora they run on; run from the repository's root, never installed."""
