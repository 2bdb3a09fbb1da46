"""From what readers found to a `Dataset`: judgements checked against documents and queries."""

from __future__ import annotations

from collections.abc import Sequence

from qidf.datasets.dataset import Dataset, Texts
from qidf.datasets.judgements import Judgement
from qidf.errors import InputError


def assemble(
    name: str,
    provenance: str,
    documents: Texts,
    queries: Texts,
    judgements: Sequence[Judgement],
    *,
    allow_unknown: bool = False,
    notes: tuple[str, ...] = (),
) -> Dataset:
    """Check every judgement, leave out queries that have none, and note how many.

    A judgement of a document or a query that isn't there is an error: it nearly always means that
    two files don't belong together, and scores would silently fall. With `allow_unknown`, such a
    document counts as relevant and never found, as it does in trec_eval, and such a query is left
    out; both are noted.
    """
    if not len(documents):
        raise InputError(f"{name} has no documents; check {provenance}")
    known_docs, known_queries = set(documents.ids), set(queries.ids)
    graded: dict[str, dict[str, int]] = {}
    unknown_docs = unknown_queries = repeated = 0
    for judgement in judgements:
        query_id, doc_id, grade = judgement.query_id, judgement.doc_id, judgement.grade
        if query_id not in known_queries:
            if not allow_unknown:
                raise _unknown(judgement, "query", query_id)
            unknown_queries += 1
            continue
        if doc_id not in known_docs:
            if not allow_unknown:
                raise _unknown(judgement, "document", doc_id)
            unknown_docs += 1
        grades = graded.setdefault(query_id, {})
        if grades.get(doc_id, grade) != grade:
            raise InputError(
                f"{judgement.place}: the document {doc_id!r} has the grade {grade} here and"
                f" {grades[doc_id]} before for the query {query_id!r}; keep one of the two lines"
            )
        repeated += doc_id in grades
        grades[doc_id] = grade
    kept = [at for at, query_id in enumerate(queries.ids) if query_id in graded]
    return Dataset(
        name,
        provenance,
        documents,
        Texts([queries.ids[at] for at in kept], [queries.texts[at] for at in kept]),
        graded,
        (
            *notes,
            *_counted(len(queries) - len(kept), "query has", "queries have", "no judgements", True),
            *_counted(unknown_docs, "judgement names", "judgements name", "an unknown document"),
            *_counted(unknown_queries, "judgement names", "judgements name", "an unknown query"),
            *_counted(repeated, "judgement is", "judgements are", "repeated"),
            *_counted(
                sum(max(grades.values()) < 1 for grades in graded.values()),
                "query has",
                "queries have",
                "no relevant document and can't score above 0",
            ),
        ),
    )


def _unknown(judgement: Judgement, what: str, identifier: str) -> InputError:
    return InputError(
        f"{judgement.place}: the {what} {identifier!r} is not among the"
        f" {'documents' if what == 'document' else 'queries'}; use files that belong together, or"
        " allow unknown ids if yours are known to be incomplete"
    )


def _counted(count: int, one: str, many: str, what: str, left_out: bool = False) -> tuple[str, ...]:
    if not count:
        return ()
    ending = f" and {'is' if count == 1 else 'are'} left out" if left_out else ""
    return (f"{count:,} {one if count == 1 else many} {what}{ending}.",)
