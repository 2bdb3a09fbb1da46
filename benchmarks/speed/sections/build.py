"""From texts to an index in memory: qidf, each form of bm25s, tantivy."""

from __future__ import annotations

from typing import Any

import qidf
from benchmarks.speed import bm25s_peer, tantivy_peer
from benchmarks.speed.clock import interleaved, timed
from benchmarks.speed.settings import Settings
from benchmarks.speed.workload import ANALYZER, Workload

# Enough documents to compile every kernel and to load every library.
WARM_UP_DOCS = 256


def measure(workload: Workload, settings: Settings) -> dict[str, Any]:
    """Time every contender from the same list of strings."""
    texts, errors = workload.texts, {}
    qidf.Index.build(texts[:WARM_UP_DOCS], analyzer=ANALYZER)
    contenders = {"qidf build": lambda: qidf.Index.build(texts, analyzer=ANALYZER)}
    tokenizers = bm25s_peer.tokenizers(texts)
    contenders.update(tokenizers)
    tokens = tokenizers["bm25s tokenize, function"]()
    contenders.update(bm25s_peer.indexers(tokens, settings.bm25s_backend))
    values = {}
    try:
        tantivy_peer.default_build(texts[:WARM_UP_DOCS])
        contenders["tantivy build"] = lambda: tantivy_peer.default_build(texts)
        # Its regex tokenizer is far slower than its own; once is enough to say so.
        wall, cpu = timed(lambda: tantivy_peer.generic_build(texts))
        values["tantivy build, generic tokens"] = {"wall": wall, "cpu": cpu}
    except ImportError as error:
        errors["tantivy"] = str(error)
    return {
        "samples": interleaved(contenders, settings.repeats),
        "values": {"num_docs": len(texts), **values},
        "errors": errors,
    }
