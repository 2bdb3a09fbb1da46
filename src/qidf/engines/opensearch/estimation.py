"""htok of an index that can't be enumerated, from a random sample of its documents.

Each sampled document comes back with its terms and their counts in its own shard. A term that
occurs once there may still occur in another shard, and taking such terms for hapaxes overstates
htok 1.5 to 2 times, so candidates are counted again over all shards.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidf.engines.contract import EngineStats
from qidf.engines.opensearch.exchange import Exchange, Request
from qidf.engines.opensearch.lookup import Counts, count_terms
from qidf.engines.opensearch.schema import Schema, at
from qidf.errors import EngineRejectedError, InvalidArgumentError, UnsupportedError
from qidf.statistics import CorpusStats

# Two thousand docstrings pin an htok of 5% down to about half a percent either way.
DEFAULT_SAMPLE = 2_000
# The most hits a search returns unless an index allows more (index.max_result_window).
MAX_SAMPLE = 10_000
# A few megabytes of answer each.
DOCS_PER_REQUEST = 200
TERMS_PER_REQUEST = 5_000
# Terms seen more often than this in one shard count next to nothing in the size of the vocabulary.
FEW = 10
# Any number; the same index gives the same sample.
SEED = 9242


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """One sampled document: its terms, and how often each occurs in it and in its shard."""

    terms: tuple[str, ...]
    within: NDArray[np.int64]
    in_shard: NDArray[np.int64]


def estimate(schema: Schema, field: str, sample: int | None) -> Exchange[EngineStats]:
    """Sample documents and count; an index no larger than the sample is counted exactly."""
    wanted = DEFAULT_SAMPLE if sample is None else sample
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 2 <= wanted <= MAX_SAMPLE:
        raise InvalidArgumentError(
            f"sample is a number of documents from 2 to {MAX_SAMPLE:,}, not {wanted!r}."
        )
    total, hits = yield from _draw(schema, field, wanted)
    documents: list[DocumentCounts] = []
    requests = 1
    for start in range(0, len(hits), DOCS_PER_REQUEST):
        documents += yield from _documents(hits[start : start + DOCS_PER_REQUEST], field)
        requests += 1
    if total <= len(hits):
        return _census(documents, total, requests)
    few = sorted(
        {
            term
            for document in documents
            for term, count in zip(document.terms, document.in_shard.tolist(), strict=True)
            if count <= FEW
        }
    )
    occurrences: dict[str, int] = {}
    num_tokens = 0
    for start in range(0, max(1, len(few)), TERMS_PER_REQUEST):
        # A word is always asked for: the size of the field comes with it.
        batch = few[start : start + TERMS_PER_REQUEST] or ["a"]
        counts: Counts = yield from count_terms(schema, field, batch)
        requests += 1
        num_tokens = counts.num_tokens
        occurrences.update(counts.occurrences)
    if not num_tokens:
        raise UnsupportedError(
            f"this server gives no total counts for {field!r}, so htok can't be estimated; pass q"
            " as a number."
        )
    return _estimated(
        documents, occurrences, total, num_tokens, max(1, len(schema.shards)), requests
    )


def ratio_interval(
    parts: NDArray[np.int64], sizes: NDArray[np.int64], population: int
) -> tuple[float, float, float]:
    """A share over clusters and its 95% interval: tokens of one document aren't independent.

    The variance is the ratio estimator's (Cochran, Sampling Techniques, 6.4) with the finite
    population correction; Wilson's interval with as many independent tokens as that variance is
    worth keeps its level where hapaxes are few (Korn and Graubard, Survey Methodology 1998).
    """
    number, tokens = len(sizes), int(sizes.sum())
    if tokens == 0:
        return 0.0, 0.0, 1.0
    share = float(parts.sum()) / tokens
    z = 1.959964
    seen = number / max(population, number)
    if number < 2 or seen >= 1.0:
        return share, share if seen >= 1.0 else 0.0, share if seen >= 1.0 else 1.0
    residual = parts - share * sizes
    mean_size = tokens / number
    variance = (1.0 - seen) * float(residual @ residual) / ((number - 1) * number * mean_size**2)
    binomial = share * (1.0 - share)
    # Without a single hapax there is no variance to go by, and every document counts as one token.
    effective = min(binomial / variance, 10.0 * tokens) if variance > 0 and binomial > 0 else number
    centre = (share + z * z / (2 * effective)) / (1 + z * z / effective)
    half = (
        z * math.sqrt(binomial / effective + z * z / (4 * effective**2)) / (1 + z * z / effective)
    )
    return share, max(0.0, centre - half), min(1.0, centre + half)


def _draw(schema: Schema, field: str, size: int) -> Exchange[tuple[int, list[Mapping[str, Any]]]]:
    answer = yield Request(
        "POST",
        at(",".join(schema.indices), "_search"),
        {"allow_partial_search_results": "false"},
        body={
            "size": size,
            "_source": False,
            "track_total_hits": True,
            "query": {
                "function_score": {
                    "query": {"exists": {"field": field}},
                    "random_score": {"seed": SEED, "field": "_seq_no"},
                    "boost_mode": "replace",
                }
            },
        },
    )
    return int(answer["hits"]["total"]["value"]), answer["hits"]["hits"]


def _documents(hits: Sequence[Mapping[str, Any]], field: str) -> Exchange[list[DocumentCounts]]:
    answer = yield Request(
        "POST",
        "/_mtermvectors",
        body={
            "docs": [
                {
                    "_index": hit["_index"],
                    "_id": hit["_id"],
                    "fields": [field],
                    "positions": False,
                    "offsets": False,
                    "payloads": False,
                    "term_statistics": True,
                    "field_statistics": False,
                }
                | ({"routing": hit["_routing"]} if "_routing" in hit else {})
                for hit in hits
            ]
        },
    )
    documents = []
    for each in answer["docs"]:
        if "error" in each:
            raise EngineRejectedError(
                f"the server gives no term vectors of {each.get('_id')!r}:"
                f" {each['error'].get('reason')}; pass q as a number."
            )
        terms = each.get("term_vectors", {}).get(field, {}).get("terms", {})
        within = np.array([entry["term_freq"] for entry in terms.values()], dtype=np.int64)
        # A document indexed since the last refresh has terms that its shard doesn't count yet.
        in_shard = np.array(
            [entry.get("ttf", entry["term_freq"]) for entry in terms.values()], dtype=np.int64
        )
        documents.append(DocumentCounts(tuple(terms), within, in_shard))
    return documents


def _census(documents: Sequence[DocumentCounts], total: int, requests: int) -> EngineStats:
    occurrences: Counter[str] = Counter()
    doc_freqs: Counter[str] = Counter()
    for document in documents:
        doc_freqs.update(document.terms)
        for term, count in zip(document.terms, document.within.tolist(), strict=True):
            occurrences[term] += count
    exact = CorpusStats.from_frequencies(
        max(total, len(documents)),
        [doc_freqs[term] for term in occurrences],
        list(occurrences.values()),
    )
    return EngineStats(
        exact.num_docs,
        exact.num_tokens,
        exact.vocab_size,
        exact.htok,
        median_df=exact.median_df,
        share_df_le_5=exact.share_df_le_5,
        requests=requests,
    )


def _estimated(
    documents: Sequence[DocumentCounts],
    occurrences: Mapping[str, int],
    num_docs: int,
    num_tokens: int,
    num_shards: int,
    requests: int,
) -> EngineStats:
    hapaxes = np.zeros(len(documents), dtype=np.int64)
    sizes = np.zeros(len(documents), dtype=np.int64)
    # Every token counts one part of its term: over all tokens these add up to the vocabulary.
    parts = 0.0
    for number, document in enumerate(documents):
        sizes[number] = int(document.within.sum())
        for term, within, in_shard in zip(
            document.terms, document.within.tolist(), document.in_shard.tolist(), strict=True
        ):
            everywhere = max(occurrences.get(term, in_shard * num_shards), within)
            parts += within / everywhere
            hapaxes[number] += everywhere == 1
    seen = int(sizes.sum())
    htok, low, high = ratio_interval(hapaxes, sizes, num_docs)
    vocabulary = round(parts / seen * num_tokens) if seen else 0
    return EngineStats(
        num_docs,
        num_tokens,
        min(vocabulary, num_tokens),
        htok,
        htok_ci95=(low, high),
        requests=requests,
        sampled=len(documents),
    )
