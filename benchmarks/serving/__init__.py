"""Many agents at once: python -m benchmarks.serving REPOSITORY."""
