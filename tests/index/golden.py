"""Expected results kept as text: compared, or rewritten when QIDF_UPDATE_GOLDEN is set."""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
UPDATING = bool(os.environ.get("QIDF_UPDATE_GOLDEN"))


def check_golden(name: str, found: str) -> None:
    """Compare a text with the golden one of this name."""
    path = GOLDEN / name
    if UPDATING:
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8"), (
        f"{path.name} differs; if it should, run again with QIDF_UPDATE_GOLDEN=1"
    )
