"""Xapian's DPH over numbered tokens; runs in an interpreter that has Xapian's bindings, no qidf."""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any


def main(source: str, target: str) -> None:
    """Index the documents of `source`, rank its queries, write scored rankings to `target`."""
    xapian = import_module("xapian")
    read = json.loads(Path(source).read_text(encoding="utf-8"))
    database = xapian.WritableDatabase("", xapian.DB_BACKEND_INMEMORY)
    for tokens in read["documents"]:
        document = xapian.Document()
        for token, count in Counter(tokens).items():
            document.add_term(token, count)
        database.add_document(document)
    enquire = xapian.Enquire(database)
    enquire.set_weighting_scheme(xapian.DPHWeight())
    rankings: list[list[tuple[int, float]]] = []
    for tokens in read["queries"]:
        terms = [xapian.Query(token, count) for token, count in Counter(tokens).items()]
        enquire.set_query(xapian.Query(xapian.Query.OP_OR, terms))
        # Documents are numbered from 1 in the order they were added.
        matches = enquire.get_mset(0, read["depth"])
        rankings.append([(match.docid - 1, match.weight) for match in matches])
    result: dict[str, Any] = {
        "engine": f"Xapian {xapian.version_string()}",
        "num_docs": database.get_doccount(),
        "num_tokens": round(database.get_avlength() * database.get_doccount()),
        "rankings": rankings,
    }
    Path(target).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
