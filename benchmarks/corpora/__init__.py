"""Documented-function corpora built from package registries, pinned and repeatable.

Data flows one way: `pinned` (which packages) → `registries` (where they are) → `download` →
`contents` (their files) → `languages` (functions with documentation) → `filters` → `duplicates` →
`sample` → `beir` (the folder on disk). `build` runs the chain, `manifest` keeps its counts.

One more language is one more file in `languages/`, one row in its table, one row in
`selections.py` that says which packages to pin, and one pinned list in `packages/`.
"""
