"""Documents that every framework gets."""

from __future__ import annotations

import os

# Haystack would otherwise tell its makers about every test.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
