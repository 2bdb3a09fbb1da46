"""What stands before every application: Host, Origin, token, size, and headers of answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from qidf.admission import Access
from qidf.admission.patience import BODY_SECONDS

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

# The longest query, 100,000 characters, fits even with each escaped as a pair of surrogates.
MAX_BODY_BYTES = 1_300_000
COOKIE = "qidf_token"

# Nothing inline, nothing from outside, no frame, no form, no sink that makes markup of text.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)


class RefusedError(Exception):
    """A request that doesn't reach the application: its status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        """Say why."""
        super().__init__(sentence)
        self.status = status


class Guard:
    """Refuses what isn't meant for the application, and puts security headers on every answer."""

    def __init__(
        self, application: Application, access: Access, *, max_body_bytes: int = MAX_BODY_BYTES
    ) -> None:
        """Stand before an application."""
        self.application, self.access = application, access
        self.max_body_bytes = max_body_bytes

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Check one request and pass it on."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        if scope["type"] != "http":
            # Nothing here speaks WebSocket; closing before accepting is a plain refusal.
            await send({"type": "websocket.close", "code": 1008})
            return
        reply = _with_headers(send)
        try:
            headers = _single_headers(scope)
            self._check_names(scope["method"], headers)
            if await self._admit(scope, headers, reply):
                return
            received = await self._received(headers, receive)
            await self.application(scope, received, reply)
        except RefusedError as refusal:
            await _refuse(reply, refusal)

    def _check_names(self, method: str, headers: dict[str, str]) -> None:
        # A link to the page that is clicked elsewhere shows it, and tells the other page nothing.
        visit = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
        site = None if visit else headers.get("sec-fetch-site")
        sentence = self.access.objection(headers.get("host", ""), headers.get("origin"), site)
        if sentence is not None:
            raise RefusedError(403, sentence)

    async def _admit(
        self, scope: MutableMapping[str, Any], headers: dict[str, str], send: Send
    ) -> bool:
        """Check the token; say whether the answer, a redirect that keeps it, has been sent."""
        if self.access.token is None:
            return False
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.access.admits_token(shown.strip()):
            return False
        if self.access.admits_token(_cookie(headers.get("cookie", ""))):
            return False
        given = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1"))).get("token")
        if given is not None and scope["method"] == "GET" and self.access.admits_token(given):
            # The address with the token in it stays out of history and of what gets shared.
            cookie = f"{COOKIE}={given}; Path=/; HttpOnly; SameSite=Strict"
            location = scope["path"] if scope["path"].startswith("/") else "/"
            found = [
                (b"location", b"/" + location.lstrip("/\\").encode("ascii", "ignore")),
                (b"set-cookie", cookie.encode()),
                (b"content-length", b"0"),
            ]
            await send({"type": "http.response.start", "status": 303, "headers": found})
            await send({"type": "http.response.body", "body": b""})
            return True
        raise RefusedError(
            401,
            "this server wants a token: open the address with ?token=... once, or send it as"
            " Authorization: Bearer",
        )

    async def _received(self, headers: dict[str, str], receive: Receive) -> Receive:
        """Take in the whole body, within limits of size and time, and hand it on from memory."""
        announced = headers.get("content-length", "0")
        if not (announced.isascii() and announced.isdigit()):
            raise RefusedError(400, "the Content-Length is no number")
        if int(announced) > self.max_body_bytes:
            raise self._too_large()
        try:
            body = await asyncio.wait_for(self._body(receive), BODY_SECONDS)
        except asyncio.TimeoutError:
            raise RefusedError(408, "the request took too long to arrive") from None
        handed_on = False

        async def replay() -> Message:
            nonlocal handed_on
            if handed_on:
                # What comes after the body is news of the client going away.
                return await receive()
            handed_on = True
            return {"type": "http.request", "body": body, "more_body": False}

        return replay

    async def _body(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise RefusedError(400, "the request broke off")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.max_body_bytes:
                raise self._too_large()
            if not message.get("more_body", False):
                return b"".join(parts)

    def _too_large(self) -> RefusedError:
        return RefusedError(413, f"a request may have at most {self.max_body_bytes:,} bytes")


def _single_headers(scope: MutableMapping[str, Any]) -> dict[str, str]:
    """Headers by name; one that decides and comes twice is an attempt to say two things."""
    headers: dict[str, str] = {}
    for raw_name, value in scope["headers"]:
        name = raw_name.decode("latin-1").lower()
        if name in headers and name in ("host", "origin", "authorization", "content-length"):
            raise RefusedError(400, f"the header {name} came twice")
        headers[name] = value.decode("latin-1")
    return headers


def _cookie(header: str) -> str | None:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def _with_headers(send: Send) -> Send:
    async def reply(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", []))
            names = {name.lower() for name, _ in given}
            given.extend(pair for pair in HEADERS if pair[0] not in names)
            if b"cache-control" not in names:
                given.append((b"cache-control", b"no-store"))
            message = {**message, "headers": given}
        await send(message)

    return reply


async def _refuse(send: Send, refusal: RefusedError) -> None:
    body = json.dumps({"error": str(refusal)}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if refusal.status == 405:
        headers.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
