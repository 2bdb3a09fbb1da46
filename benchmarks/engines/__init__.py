"""Engines over one corpus: loading a BEIR folder into each, and what a q-log query costs there."""
