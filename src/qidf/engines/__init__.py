"""Search engines that already hold an index, searched with q-log as they are.

[contract](contract.py) says what an engine offers, [boosts](boosts.py) is the arithmetic, and every
engine is one row in [registry](registry.py) and one module or folder, none importing another. To
add one: write the module with `open_target` and `wrap`, add its row, and let the contract suite
in tests/engines run on it. An engine's own package is an extra, imported inside the function that
needs it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidf.engines.connection import connect as connect
    from qidf.engines.contract import Capabilities as Capabilities
    from qidf.engines.contract import Engine as Engine
    from qidf.engines.contract import EngineExplanation as EngineExplanation
    from qidf.engines.contract import EngineResult as EngineResult
    from qidf.engines.contract import EngineStats as EngineStats
    from qidf.engines.contract import Note as Note
    from qidf.engines.contract import Rewritten as Rewritten
    from qidf.engines.contract import TermStatistics as TermStatistics

# Imported on first use: the bm25s folder is used without the rest.
_HOMES = {
    "Capabilities": "contract",
    "Engine": "contract",
    "EngineExplanation": "contract",
    "EngineResult": "contract",
    "EngineStats": "contract",
    "Note": "contract",
    "Rewritten": "contract",
    "TermStatistics": "contract",
    "connect": "connection",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import a name from its module on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'qidf.engines' has no attribute {name!r}")
    value: object = getattr(import_module(f"qidf.engines.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
