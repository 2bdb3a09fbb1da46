"""The API described for machines: OpenAPI 3.1, kept beside the fields that are read."""

from __future__ import annotations

from typing import Any

from qidf import __version__
from qidf.serving.web.questions import (
    DEFAULT_K,
    MAX_K,
    MAX_K3,
    MAX_QUERY_CHARACTERS,
    Q_HIGHEST,
    Q_LOWEST,
)
from qidf.weighting import ACTIONS, FAMILIES, NAMES

Schema = dict[str, Any]

# What says how a query's tokens are weighed.
_PARTS = ("weighting", "q", "k3", "formula", "evidence")
# For each question the fields it may have, and those it must.
FIELDS = {
    "compare": (frozenset({"query", *_PARTS, "k", "id"}), frozenset({"query"})),
    "search": (frozenset({"query", *_PARTS, "k"}), frozenset({"query"})),
    "explain": (frozenset({"query", *_PARTS, "id"}), frozenset({"query", "id"})),
}

_NUMBER: Schema = {"type": "number"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string"}
_RANK: Schema = {"type": "integer", "minimum": 1}
_RANK_OR_NONE: Schema = {"type": ["integer", "null"], "minimum": 1}
_ID: Schema = {"type": ["string", "integer"]}

_QUESTION_FIELDS: dict[str, Schema] = {
    "query": {
        "type": "string",
        "maxLength": MAX_QUERY_CHARACTERS,
        "description": "Words, names, or a whole function.",
    },
    "q": {
        "description": "auto is the q predicted from the corpus; 1 alone is plain BM25.",
        "oneOf": [
            {"const": "auto"},
            {"type": "number", "minimum": Q_LOWEST, "maximum": Q_HIGHEST},
        ],
    },
    "k3": {
        "description": "How soon repeats of a token saturate; auto is 1 for code, else not at all.",
        "oneOf": [{"const": "auto"}, {"type": "number", "minimum": 0, "maximum": MAX_K3}],
    },
    "weighting": {
        "description": "What a query's tokens weigh; the fields beside set parts of it.",
        "enum": list(NAMES),
        "default": "auto",
    },
    "formula": {
        "description": "qlog1p is ln_q(1 + odds), qlog the paper's ln_q(odds).",
        "enum": list(FAMILIES),
    },
    "evidence": {
        "description": "Whether what a token of code looks like counts too; with qlog1p only.",
        "oneOf": [{"const": "auto"}, {"type": "boolean"}],
    },
    "k": {
        "type": "integer",
        "minimum": 1,
        "maximum": MAX_K,
        "default": DEFAULT_K,
        "description": "How many hits.",
    },
    "id": {**_ID, "description": "A document of the index."},
}


# Evidence goes with qlog1p only.
_EVIDENCE: Schema = {"evidence": {"enum": [True, "auto"]}}
_IMPOSSIBLE: Schema = {
    "anyOf": [
        {
            "required": ["evidence", "formula"],
            "properties": {**_EVIDENCE, "formula": {"const": "qlog"}},
        },
        {
            "required": ["evidence", "weighting"],
            "properties": {**_EVIDENCE, "weighting": {"const": "paper"}, "formula": False},
        },
    ]
}


def _object(fields: dict[str, Schema], *, optional: frozenset[str] = frozenset()) -> Schema:
    return {
        "type": "object",
        "properties": fields,
        "required": sorted(set(fields) - optional),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_NUMBER_OR_NONE: Schema = {"type": ["number", "null"]}
# `Decision.to_dict`.
_DECISION: dict[str, Schema] = {
    "weighting": _TEXT,
    "q": _NUMBER_OR_NONE,
    "k3": _NUMBER_OR_NONE,
    "evidence": {"type": "boolean"},
    "reason": _TEXT,
}
_WEIGHTS: dict[str, Schema] = {
    "token": _TEXT,
    "count": _RANK,
    "factor": _NUMBER,
    "evidence": _NUMBER,
    "doc_freq": _COUNT,
    "bm25_idf": _NUMBER,
    "idf": _NUMBER,
    "ratio": _NUMBER,
}
_SCHEMAS: dict[str, Schema] = {
    "Error": _object({"error": {"type": "string", "description": "What is wrong, in a sentence."}}),
    "Line": _object(
        {
            "number": _RANK_OR_NONE,
            "runs": _list(_object({"text": _TEXT, "matched": {"type": "boolean"}})),
        }
    ),
    "Document": _object({"id": _ID, "title": _TEXT, "excerpt": _list(_named("Line"))}),
    "Place": _object({"id": _ID, "rank": _RANK, "other_rank": _RANK_OR_NONE, "score": _NUMBER}),
    "Term": _object(_WEIGHTS),
    "Explanation": _object(
        {
            "id": _ID,
            **_DECISION,
            "title": _TEXT,
            "score": _NUMBER,
            "rank": _RANK_OR_NONE,
            "bm25_score": _NUMBER,
            "bm25_rank": _RANK_OR_NONE,
            "terms": _list(
                _object(
                    {
                        **_WEIGHTS,
                        "tf": _COUNT,
                        "contribution": _NUMBER,
                        "bm25_contribution": _NUMBER,
                    }
                )
            ),
            "excerpt": _list(_named("Line")),
        }
    ),
    "Comparison": _object(
        {
            **_DECISION,
            "auto_q": _NUMBER,
            "k": _RANK,
            "milliseconds": _NUMBER,
            "bm25": _list(_named("Place")),
            "qlog": _list(_named("Place")),
            "documents": _list(_named("Document")),
            "terms": _list(_named("Term")),
            "curve": _list(_object({"doc_freq": _RANK, "bm25_idf": _NUMBER, "idf": _NUMBER})),
            "explanation": {"oneOf": [_named("Explanation"), {"type": "null"}]},
        }
    ),
    "Hits": _object(
        {
            **_DECISION,
            "k": _RANK,
            "hits": _list(
                _object(
                    {
                        "id": _ID,
                        "title": _TEXT,
                        "excerpt": _list(_named("Line")),
                        "rank": _RANK,
                        "score": _NUMBER,
                        "contributions": {"type": "object", "additionalProperties": _NUMBER},
                    }
                )
            ),
        }
    ),
    "Advice": _object(
        {
            "action": {"enum": list(ACTIONS)},
            "q": _NUMBER,
            "weighting": _TEXT,
            "code_weighting": _TEXT,
            "reason": _TEXT,
            "warnings": _list(_TEXT),
        }
    ),
    "Status": _object(
        {
            "version": _TEXT,
            "name": _TEXT,
            "kind": _TEXT,
            "analyzer": _TEXT,
            "num_docs": _COUNT,
            "num_tokens": _COUNT,
            "vocab_size": _COUNT,
            "type_token_ratio": _NUMBER_OR_NONE,
            "median_df": _NUMBER_OR_NONE,
            "share_df_le_5": _NUMBER_OR_NONE,
            "htok": _NUMBER,
            "min_docs": _COUNT,
            "min_tokens": _COUNT,
            **_DECISION,
            "advice": _named("Advice"),
            "advice_if_rebuilt": _named("Advice"),
            "examples": _list(_TEXT),
        }
    ),
}

_REFUSALS = {
    "400": "The body is not a JSON object, or the request contradicts itself.",
    "401": "A token is required and was not shown.",
    "403": "The Host or the Origin is not one this server answers to.",
    "408": "The request took too long to arrive.",
    "413": "The request is too large.",
}
_QUESTION_REFUSALS = {
    "404": "No document has that id.",
    "415": "The body is not application/json.",
    "422": "A field has a value that can't be used.",
    "503": "The index on disk can't be read.",
}


def _answers(schema: Schema, refusals: dict[str, str]) -> Schema:
    found: Schema = {
        "200": {
            "description": "The answer.",
            "content": {"application/json": {"schema": schema}},
        }
    }
    for code, description in sorted(refusals.items()):
        content = {"application/json": {"schema": _named("Error")}}
        found[code] = {"description": description, "content": content}
    return found


def _ask(name: str, summary: str, answer: str) -> Schema:
    fields, required = FIELDS[name]
    question = _object(
        {field: _QUESTION_FIELDS[field] for field in sorted(fields)}, optional=fields - required
    )
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {**question, "not": _IMPOSSIBLE}}},
            },
            "responses": _answers(_named(answer), {**_REFUSALS, **_QUESTION_REFUSALS}),
        }
    }


def describe() -> Schema:
    """The OpenAPI description of every route of the API."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "qidf",
            "version": __version__,
            "summary": "BM25 beside another weighting on one index.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {
            "/api/status": {
                "get": {
                    "operationId": "status",
                    "summary": "The corpus in numbers, and what to do about it.",
                    "responses": _answers(_named("Status"), _REFUSALS),
                }
            },
            "/api/compare": _ask(
                "compare", "BM25's ranking beside the weighting's, with every term.", "Comparison"
            ),
            "/api/search": _ask("search", "The best documents by one weighting.", "Hits"),
            "/api/explain": _ask(
                "explain", "Why a document has its score and rank.", "Explanation"
            ),
        },
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        # The empty one is for loopback, where no token is needed.
        "security": [{}, {"token": []}],
    }
