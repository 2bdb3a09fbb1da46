"""The loop behind near duplicates: a set similarity join with prefix and length filters."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit(cache=True)
def mark_similar(offsets: Any, ranks: Any, num_ranks: int, similarity: float) -> Any:
    """Mark each sorted set that is at least that similar to an earlier unmarked one."""
    num_sets = len(offsets) - 1
    marked = np.zeros(num_sets, np.bool_)
    # Linked lists of kept sets, one for each element of their prefixes.
    head = np.full(num_ranks, -1, np.int64)
    previous = np.empty(len(ranks), np.int64)
    owner = np.empty(len(ranks), np.int64)
    num_postings = 0
    seen_by = np.full(num_sets, -1, np.int64)
    for current in range(num_sets):
        start, end = offsets[current], offsets[current + 1]
        size = end - start
        # Any set similar enough shares at least ceil(similarity * size) elements, so it shares
        # one of the first size - that + 1; the slack keeps rounding on the safe side.
        prefix = size - int(np.ceil(similarity * size - 1e-9)) + 1
        for i in range(start, start + min(prefix, size)):
            posting = head[ranks[i]]
            while posting != -1 and not marked[current]:
                other = owner[posting]
                posting = previous[posting]
                if seen_by[other] == current:
                    continue
                seen_by[other] = current
                a, a_end = start, end
                b, b_end = offsets[other], offsets[other + 1]
                other_size = b_end - b
                # |A & B| >= s / (1 + s) * (|A| + |B|) is Jaccard >= s.
                needed = similarity / (1.0 + similarity) * (size + other_size) - 1e-9
                if min(size, other_size) < needed:
                    continue
                shared = 0
                while a < a_end and b < b_end:
                    if shared + min(a_end - a, b_end - b) < needed:
                        break
                    if ranks[a] == ranks[b]:
                        shared += 1
                        a += 1
                        b += 1
                    elif ranks[a] < ranks[b]:
                        a += 1
                    else:
                        b += 1
                marked[current] = shared >= needed
            if marked[current]:
                break
        if not marked[current]:
            for i in range(start, start + min(prefix, size)):
                previous[num_postings] = head[ranks[i]]
                owner[num_postings] = current
                head[ranks[i]] = num_postings
                num_postings += 1
    return marked
