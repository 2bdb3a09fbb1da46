"""What is known of one index for the time being: its schema, its counts, its q."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from typing import Any

from qidf.engines.contract import TermStatistics
from qidf.engines.opensearch.exchange import Exchange
from qidf.engines.opensearch.lookup import Tokens, Wording, count_terms, look_up
from qidf.engines.opensearch.memory import DEFAULT_TTL, Memory
from qidf.engines.opensearch.schema import Schema, read_schema, read_text_fields
from qidf.errors import InvalidArgumentError

# A shard that was empty gets its first documents, an alias moves on: seen within five minutes.
SCHEMA_TTL = 300.0


class IndexSession:
    """Remembers tokens and counts; everything that may need a request is an exchange.

    Sessions may share a memory: what each remembers is under the name of its `scope`, which says
    whose eyes the counts were seen with.
    """

    def __init__(
        self,
        index: str,
        fields: Sequence[str] = (),
        ttl: float = DEFAULT_TTL,
        *,
        memory: Memory[Any] | None = None,
        scope: Hashable = None,
    ) -> None:
        if not index:
            raise InvalidArgumentError("name an index, as in opensearch://HOST:9200/INDEX.")
        if not ttl >= 0:
            raise InvalidArgumentError(f"ttl is a number of seconds of at least 0, not {ttl}.")
        self.index = index
        self.fields = tuple(fields)
        self._schema: tuple[float, Schema] | None = None
        self._schema_ttl = min(SCHEMA_TTL, max(ttl, 1.0) * 5)
        self._memory: Memory[Any] = Memory(ttl) if memory is None else memory
        self._scope = (scope, index)

    def schema(self) -> Exchange[Schema]:
        """Read the schema, or return the one that was read lately."""
        if self._schema is not None and time.monotonic() - self._schema[0] < self._schema_ttl:
            return self._schema[1]
        if not self.fields:
            self.fields = ((yield from self._only_text_field()),)
        schema = yield from read_schema(self.index, self.fields)
        self._schema = (time.monotonic(), schema)
        return schema

    def gather(
        self, wordings: Sequence[Wording]
    ) -> Exchange[dict[Wording, tuple[Tokens, TermStatistics]]]:
        """Analyze and count; only what isn't remembered is asked for, in one request."""
        gathered = {}
        missing = []
        for wording in wordings:
            tokens: Tokens | None = self._memory.get((self._scope, wording))
            known = None if tokens is None else self._known(wording.field, tokens.tokens)
            if tokens is None or known is None:
                missing.append(wording)
            else:
                gathered[wording] = (tokens, known)
        if missing:
            schema = yield from self.schema()
            for wording, found in zip(missing, (yield from look_up(schema, missing)), strict=True):
                # A token takes about twice what its letters do, with its place in the tuple.
                size = len(wording.text) + sum(2 * len(each) + 60 for each in found.tokens.tokens)
                self._memory.put((self._scope, wording), found.tokens, size)
                counts = found.counts
                gathered[wording] = (
                    found.tokens,
                    self._remember(wording.field, counts.num_docs, dict(counts.doc_freqs)),
                )
        return gathered

    def count(self, field: str, terms: Sequence[str]) -> Exchange[TermStatistics]:
        """Count terms; only those that aren't remembered are asked for."""
        known = self._known(field, terms)
        if known is not None:
            return known
        schema = yield from self.schema()
        counts = yield from count_terms(schema, field, list(dict.fromkeys(terms)))
        doc_freqs = {term: counts.doc_freqs.get(term, 0) for term in terms}
        return self._remember(field, counts.num_docs, doc_freqs)

    def forget(self) -> None:
        """Forget everything, as after a change to the index that must be seen at once."""
        self._schema = None
        self._memory.clear()

    def _known(self, field: str, terms: Sequence[str]) -> TermStatistics | None:
        num_docs = self._memory.get((self._scope, field))
        if num_docs is None:
            return None
        doc_freqs = {}
        for term in terms:
            doc_freq = self._memory.get((self._scope, field, term))
            if doc_freq is None:
                return None
            doc_freqs[term] = doc_freq
        return TermStatistics(num_docs, doc_freqs)

    def _remember(self, field: str, num_docs: int, doc_freqs: dict[str, int]) -> TermStatistics:
        if doc_freqs:
            self._memory.put((self._scope, field), num_docs)
        for term, doc_freq in doc_freqs.items():
            self._memory.put((self._scope, field, term), doc_freq, len(term))
        return TermStatistics(num_docs, doc_freqs, requests=1)

    def _only_text_field(self) -> Exchange[str]:
        names = yield from read_text_fields(self.index)
        if len(names) == 1:
            return names[0]
        if not names:
            raise InvalidArgumentError(f"the index {self.index!r} has no text field to search.")
        raise InvalidArgumentError(
            f"the index {self.index!r} has several text fields; name one with field=, one of"
            f" {', '.join(names)}."
        )
