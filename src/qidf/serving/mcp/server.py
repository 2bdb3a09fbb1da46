"""The protocol: three tools, progress while an index is built, stdio and streamable HTTP."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Annotated, Any

from qidf import __version__
from qidf.admission import Access
from qidf.errors import MissingExtraError, QidfError
from qidf.serving.guard import Application, Guard, Receive, RefusedError, Send
from qidf.serving.mcp.answers import DEFAULT_BUDGET, MAX_BUDGET, MIN_BUDGET, Desk
from qidf.serving.mcp.first_index import PATIENCE_SECONDS
from qidf.serving.queueing import Queue
from qidf.weighting import parse_weighting

try:
    import anyio
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp_types import Tool, ToolAnnotations
    from pydantic import Field, ValidationError
except ImportError as error:
    raise MissingExtraError("mcp", "mcp") from error

HTTP_PATH = "/mcp"
MAX_QUERY_CHARACTERS = 100_000
MAX_PATH_CHARACTERS = 4_096
MAX_LINE = 2**31 - 1
MAX_WEIGHTING_CHARACTERS = 200
# Often enough to look alive, seldom enough not to slow indexing down.
PROGRESS_SECONDS = 0.25
POLL_SECONDS = 0.05

INSTRUCTIONS = (
    "Find code by names, words, an issue's text or a stack trace: search. It returns whole"
    " functions with path:start-end, best first, within a token budget. read_span reads further."
)

Query = Annotated[
    str, Field(max_length=MAX_QUERY_CHARACTERS, description="Names, words, or a whole text.")
]
Budget = Annotated[
    int, Field(ge=MIN_BUDGET, le=MAX_BUDGET, description="Most tokens the answer may have.")
]
Path = Annotated[str, Field(max_length=MAX_PATH_CHARACTERS, description="As search gave it.")]
Line = Annotated[int, Field(ge=1, le=MAX_LINE)]
Glob = Annotated[
    str | None, Field(max_length=MAX_PATH_CHARACTERS, description="Only such paths: src/**, *.py.")
]
Language = Annotated[str | None, Field(max_length=64, description="Only this language.")]
# One name says all parts of it, and takes less of a prompt than they would.
WeightingName = Annotated[
    str | None,
    Field(max_length=MAX_WEIGHTING_CHARACTERS, description="bm25, paper, qlog1p(q=0.5, k3=1)."),
]


class CodeServer(MCPServer[Any]):
    """The SDK's server, with schemas that say nothing twice and errors of one sentence."""

    async def list_tools(self) -> list[Tool]:
        """The tools, in every prompt and therefore short."""
        return [
            tool.model_copy(update={"input_schema": _concise(tool.input_schema)})
            for tool in await super().list_tools()
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:
        """Answer, or say in one sentence what the caller can mend."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(_encodable(_mistakes(cause))) from cause
            if isinstance(cause, ToolError):
                raise ToolError(str(cause)) from cause
            raise


def create_server(desk: Desk) -> MCPServer[Any]:
    """The server with its three tools, for any transport."""
    server = CodeServer("qidf", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    queue = Queue(desk.refresh)
    # Every tool is in every prompt, so each says what it must and no more.
    hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    tool = partial(server.tool, annotations=hints, structured_output=False)

    @tool(description="Search the code. Returns the best spans, whole, within the budget.")
    async def search(
        query: Query,
        ctx: Context[Any, Any],
        budget: Budget = DEFAULT_BUDGET,
        path: Glob = None,
        language: Language = None,
        weighting: WeightingName = None,
    ) -> str:
        def work() -> str:
            chosen = parse_weighting(weighting or "auto")
            return desk.search(query, budget, path, language, weighting=chosen, refresh=False)

        return await _answer(ctx, desk, queue, work, partial(_ready, desk, queue, path))

    @tool(description="Read lines of a file; path may be path:start-end as search gave it.")
    async def read_span(
        path: Path,
        ctx: Context[Any, Any],
        start_line: Line = 1,
        end_line: Line | None = None,
        budget: Budget = DEFAULT_BUDGET,
    ) -> str:
        work = partial(desk.read_span, path, start_line, end_line, budget)
        return await _answer(ctx, desk, queue, work)

    @tool(description="What is served and indexed.")
    async def status(ctx: Context[Any, Any]) -> str:
        return await _answer(ctx, desk, queue, desk.status)

    return server


async def _answer(
    ctx: Context[Any, Any],
    desk: Desk,
    queue: Queue,
    work: Callable[[], str],
    before: Callable[[], Awaitable[None]] | None = None,
) -> str:
    """Do the work in its turn, passing progress on; what the caller can mend is told to it.

    `before` is waited for first, by everyone at once.
    """
    seen = desk.progress
    failure: Exception | None = None
    text = ""
    async with anyio.create_task_group() as watching:
        watching.start_soon(_watch, ctx, desk)
        try:
            if before is not None:
                await before()
            text = await queue.run(work)
        except Exception as error:
            failure = error
        watching.cancel_scope.cancel()
    if isinstance(failure, QidfError):
        raise ToolError(_encodable(str(failure))) from failure
    if failure is not None:
        raise failure
    if desk.progress != seen:
        done, total, _ = desk.progress
        await ctx.report_progress(done, total, "indexed")
    return _encodable(text)


async def _ready(desk: Desk, queue: Queue, path: str | None) -> None:
    """Wait for a first index, as long as a client has patience, or for what changed since."""
    with anyio.move_on_after(PATIENCE_SECONDS):
        while desk.is_indexing(path):
            await anyio.sleep(POLL_SECONDS)
        await queue.refreshed()


async def _watch(ctx: Context[Any, Any], desk: Desk) -> None:
    """Tell how far indexing is, by this call or in the background, as long as it gets further."""
    told = 0
    while True:
        await anyio.sleep(PROGRESS_SECONDS)
        done, total, _ = desk.progress
        # The last report comes with the answer.
        if told < done < total:
            told = done
            await ctx.report_progress(done, total, "indexing")


def _concise(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with what a model needs to know.

    Titles repeat names, null is leaving it out, and limits that no sensible call meets are told to
    the one that does.
    """
    properties = {}
    for name, found in schema.get("properties", {}).items():
        choices = [each for each in found.get("anyOf", ()) if each.get("type") != "null"]
        whole = {key: value for each in (*choices, found) for key, value in each.items()}
        properties[name] = {
            key: value
            for key, value in whole.items()
            if key not in ("title", "anyOf", "maxLength") and value not in (None, MAX_LINE)
        }
    shown = {key: value for key, value in schema.items() if key != "title"}
    return {**shown, "properties": properties}


def _mistakes(error: ValidationError) -> str:
    """What is wrong with a call's arguments, each in a clause."""
    clauses = []
    for found in error.errors(include_url=False, include_input=False):
        name = ".".join(map(str, found["loc"])) or "arguments"
        message = found["msg"].removeprefix("Input ").removeprefix("Field ")
        clauses.append(f"{name} {'is ' if message == 'required' else ''}{message}")
    return "; ".join(clauses)


def _encodable(text: str) -> str:
    """A text that JSON in UTF-8 can hold: names of files may have bytes that are no characters."""
    return text.encode("utf-8", "replace").decode("utf-8")


def run_stdio(desk: Desk) -> None:
    """Serve one client over stdin and stdout until it goes.

    The SDK keeps stdout for itself and sends what anything else prints to stderr.
    """
    logging.basicConfig(level=logging.WARNING)
    with desk.indexing():
        create_server(desk).run("stdio")


def http_application(desk: Desk, access: Access) -> Application:
    """The streamable HTTP transport, behind the guard rather than the SDK's own checks.

    Nothing is told but in answer to a request, so there are no sessions to keep, or to end.
    """
    application = create_server(desk).streamable_http_app(
        streamable_http_path=HTTP_PATH,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    async def requests_only(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] != "POST":
            raise RefusedError(405, "this address takes POST; there are no sessions or streams")
        await application(scope, receive, send)

    return Guard(requests_only, access)
