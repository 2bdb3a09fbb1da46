"""Another idf on a `bm25s.BM25` that is already built: rescale, restore, save, load, audit.

`rescale` works on the retriever in place and can always be undone bit for bit; a rescaled index
is an ordinary bm25s index that unmodified bm25s loads and searches.
"""

from qidf.engines.bm25s_index.auditing import AuditReport, audit
from qidf.engines.bm25s_index.counts import corpus_stats
from qidf.engines.bm25s_index.folder import SIDECAR_NAME, load, save
from qidf.engines.bm25s_index.rescaling import current_q, query_tokens, rescale, restore

__all__ = [
    "SIDECAR_NAME",
    "AuditReport",
    "audit",
    "corpus_stats",
    "current_q",
    "load",
    "query_tokens",
    "rescale",
    "restore",
    "save",
]
