"""What stands before TensorBoard, which has no protection of its own: the rules of `gait view` (serve/guard.h).

Whoever opens the address with the token gets it as a cookie and is sent to the same page without it; afterwards the
cookie lets in, and programs may send "Authorization: Bearer TOKEN".
"""

from __future__ import annotations

import base64
import hashlib
import re
import urllib.parse
from collections.abc import Callable, Iterable
from typing import Any

from gait import _guard

TOKEN_VARIABLE = "GAIT_TENSORBOARD_TOKEN"  # from the process that starts TensorBoard

# A browser that follows a link of another site sends no such cookie at first: a page of this server asks again.
_AGAIN = "const to=location.pathname+location.search+location.hash;history.replaceState(0,'','?');location.replace(to)"
_AGAIN_HASH = base64.b64encode(hashlib.sha256(_AGAIN.encode()).digest()).decode()
_NO_TOKEN = "Use the whole address that was printed. It has another token after each start."

Respond = Callable[..., Any]


class TokenWall:
    """A WSGI application that lets requests with the token through to another one."""

    def __init__(self, application: Callable[..., Iterable[bytes]], token: str, on_loopback: bool):
        self._application = application
        self._token = token
        self._on_loopback = on_loopback  # only names of this machine are names of the server then

    def __call__(self, request: dict[str, Any], respond: Respond) -> Iterable[bytes]:
        if self._on_loopback and not _guard.names_this_machine([request.get("HTTP_HOST", "")]):
            return _refuse(request, respond, "The Host header names another machine.")
        query = urllib.parse.parse_qsl(request.get("QUERY_STRING", ""), keep_blank_values=True)
        if any(name == "token" and _guard.is_secret(value, self._token) for name, value in query):
            rest = urllib.parse.urlencode([pair for pair in query if pair[0] != "token"])
            return self._make_cookie(request, respond, rest)
        if self._has_token(request):
            return self._application(request, respond)
        if request.get("HTTP_SEC_FETCH_SITE") == "cross-site" and request["REQUEST_METHOD"] == "GET":
            allowed = f"script-src 'sha256-{_AGAIN_HASH}'"
            return _page(request, respond, f"<script>{_AGAIN}</script>", allowed)
        return _refuse(request, respond, f"The token is missing or wrong. {_NO_TOKEN}")

    def _has_token(self, request: dict[str, Any]) -> bool:
        begin = _cookie_name(request) + "="
        held = [item.strip() for item in request.get("HTTP_COOKIE", "").split(";")]
        held = [item.removeprefix(begin) for item in held if item.startswith(begin)]
        held.append(request.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer "))
        return any(_guard.is_secret(given, self._token) for given in held)

    def _make_cookie(self, request: dict[str, Any], respond: Respond, rest: str) -> list[bytes]:
        # One slash: two would begin the name of another machine.
        path = "/" + urllib.parse.quote(request.get("PATH_INFO", "").encode("latin-1").lstrip(b"/"))
        headers = [
            ("Location", f"{path}?{rest}" if rest else path),
            ("Set-Cookie", f"{_cookie_name(request)}={self._token}; Path=/; HttpOnly; SameSite=Strict"),
            ("Content-Length", "0"),
        ]
        respond("303 See Other", headers)
        return []


def _cookie_name(request: dict[str, Any]) -> str:
    """Cookies know no ports: each server has one of its own, by the port that the browser sees."""
    port = request.get("HTTP_HOST", "").rpartition(":")[2]
    return f"gait_token_{port}" if re.fullmatch(r"[0-9]{1,5}", port, re.ASCII) else "gait_token"


def _refuse(request: dict[str, Any], respond: Respond, why: str) -> list[bytes]:
    return _page(request, respond, f"<p>This page is not for everyone. {why}</p>", "script-src 'none'")


def _page(request: dict[str, Any], respond: Respond, content: str, scripts: str) -> list[bytes]:
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>gait</title>{content}</html>\n'.encode()
    )
    policy = f"default-src 'none'; {scripts}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    headers = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Length", str(len(page))),
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-store"),
    ]
    respond("403 Forbidden", headers)
    return [] if request["REQUEST_METHOD"] == "HEAD" else [page]
