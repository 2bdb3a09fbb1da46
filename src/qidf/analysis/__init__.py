"""From text to tokens, and from tokens to numbers.

`Analyzer.tokens` is the definition; `analyze_batch` does the same for many texts with a loop over
bytes. To add a way of analyzing, extend both: the tests hold one against the other on arbitrary
Unicode.
"""

from __future__ import annotations

from qidf.analysis.analyzer import Analyzer
from qidf.analysis.batch import TokenStream, analyze_batch, look_up
from qidf.analysis.presets import PRESETS, format_analyzer, parse_analyzer
from qidf.analysis.terms import StringBuffer, TermTable

__all__ = [
    "PRESETS",
    "Analyzer",
    "StringBuffer",
    "TermTable",
    "TokenStream",
    "analyze_batch",
    "format_analyzer",
    "look_up",
    "parse_analyzer",
]
