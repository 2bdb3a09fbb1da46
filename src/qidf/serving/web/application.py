"""Routes: the page and its assets, the questions of the API, and its description."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from qidf.admission import Access
from qidf.errors import MissingExtraError, QidfError, StoredIndexError, UnknownIdError
from qidf.serving.guard import Application, Guard
from qidf.serving.queueing import BusyError, Queue
from qidf.serving.web import answers
from qidf.serving.web.collection import Collection
from qidf.serving.web.description import FIELDS, describe
from qidf.serving.web.examples import example_queries
from qidf.serving.web.questions import MalformedError, Question, read_question

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as error:
    raise MissingExtraError("starlette", "serve") from error

ASSETS = {
    "style.css": "text/css",
    "panels.css": "text/css",
    "theme.js": "text/javascript",
    "page.js": "text/javascript",
    "elements.js": "text/javascript",
    "rankings.js": "text/javascript",
    "curve.js": "text/javascript",
    "tokens.js": "text/javascript",
    "corpus.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}

Answer = Callable[[Collection, Question], dict[str, Any]]

_log = logging.getLogger("qidf.serving")


def create_application(collection: Collection, access: Access | None = None) -> Application:
    """The ASGI application for a collection, behind its guard; loopback names only by default."""
    desk = _Desk(collection)
    routes = [
        Route("/", _asset("index.html", "text/html")),
        *(Route(f"/assets/{name}", _asset(name, kind)) for name, kind in ASSETS.items()),
        Route("/openapi.json", desk.description),
        Route("/api/status", desk.status),
        Route("/api/compare", desk.answering("compare", answers.compare), methods=["POST"]),
        Route("/api/search", desk.answering("search", answers.search), methods=["POST"]),
        Route("/api/explain", desk.answering("explain", answers.explain), methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {HTTPException: _refused, Exception: _broken}
    application = Starlette(routes=routes, exception_handlers=handlers)
    return Guard(application, access or Access())


class _Desk:
    """Answers questions about one collection, always about its last commit."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._queue = Queue(collection.source.refresh)
        self._lock = threading.Lock()
        self._examples: list[str] | None = None

    async def description(self, request: Request) -> Response:
        return _json(describe())

    async def status(self, request: Request) -> Response:
        await self._queue.refreshed()
        return await self._queue.run(self._status)

    def answering(self, name: str, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        fields, required = FIELDS[name]

        async def endpoint(request: Request) -> Response:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return _sentence(415, "the body must be application/json; say so in Content-Type")
            body = await request.body()
            return await self._answer(body, fields, required, answer)

        return endpoint

    def _status(self) -> Response:
        with self._lock:
            if self._examples is None:
                self._examples = example_queries(self._collection)
        return _json(answers.status(self._collection, self._examples))

    async def _answer(
        self, body: bytes, fields: frozenset[str], required: frozenset[str], answer: Answer
    ) -> Response:
        try:
            question = read_question(body, fields=fields, required=required)
            await self._queue.refreshed()
            return await self._queue.run(lambda: _json(answer(self._collection, question)))
        except MalformedError as error:
            return _sentence(400, str(error))
        except UnknownIdError as error:
            return _sentence(404, str(error))
        except (StoredIndexError, BusyError) as error:
            return _sentence(503, str(error))
        except QidfError as error:
            return _sentence(422, str(error))


def _asset(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    content = files("qidf.serving.web").joinpath("assets", name).read_bytes()

    async def endpoint(request: Request) -> Response:
        # Checked again at each visit, so that an upgrade shows at once.
        return Response(content, media_type=kind, headers={"cache-control": "no-cache"})

    return endpoint


def _json(value: object, status: int = 200) -> Response:
    # ASCII, so that a lone surrogate in an id or a query can't break the encoding.
    body = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return Response(body, status, media_type="application/json")


def _sentence(status: int, sentence: str) -> Response:
    return _json({"error": sentence}, status)


async def _refused(request: Request, error: HTTPException) -> Response:
    sentences = {404: "there is nothing at this address", 405: "this address takes another method"}
    answer = _sentence(error.status_code, sentences.get(error.status_code, str(error.detail)))
    answer.headers.update(error.headers or {})
    return answer


async def _broken(request: Request, error: Exception) -> Response:
    # The server's log gets the traceback; the page gets a sentence.
    return _sentence(500, "something broke while answering; the server's log says what")
