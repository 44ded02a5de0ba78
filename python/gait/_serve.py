"""gait.serve: captures of this program on request, over plain HTTP on the loopback address.

    GET  /gait/status       what runs here
    POST /gait/capture      {"steps": 5} or {"duration_ms": 2000}, and "options"; answers when it is written
    GET  /gait/captures/1   the file of capture 1
    POST /gait/stop         ends the running capture early

Every request carries "Authorization: Bearer TOKEN". Errors are {"error": {"what", "hint"}}.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import re
import socket
import stat
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from gait import _files, _guard, _listeners, _messages, _periods
from gait._arguments import check_path, check_text
from gait._bounded_server import BoundedHandler, BoundedServer
from gait._capture import Capture
from gait._messages import GaitError, OptionError
from gait._native import __version__
from gait._on_request import OnRequest, RefusedError

LARGEST_REQUEST = 64 << 10
LARGEST = {"steps": 1_000_000, "duration_ms": 24 * 3_600_000}  # that one capture may be asked for
LOOPBACK = "127.0.0.1"


def token_file(port: int) -> Path:
    """Where `gait capture` of the same user finds the token of a port."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.path.isdir(runtime):
        return Path(runtime) / "gait" / f"{port}.token"
    return Path(tempfile.gettempdir()) / f"gait-{os.getuid()}" / f"{port}.token"


def _write_token(path: Path, token: str) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    folder = path.parent.lstat()
    if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.getuid():
        raise GaitError(f"{path.parent} belongs to somebody else: no token is left there.")
    _files.write(path, token, only_own=True)


def _check_token(token: Any) -> None:
    """An empty one would let everybody in, and one that no header can carry nobody."""
    check_text("token", token)
    if not re.fullmatch("[!-~]{1,1000}", token):
        raise OptionError("token= takes 1 to 1000 letters, digits and signs of ASCII, without spaces.")


class Server:
    """The running endpoint: `port`, `token`, `close()`. Goes away with the process, and is none of a forked child's."""

    _running: ClassVar[weakref.WeakSet[Server]] = weakref.WeakSet()

    def __init__(self, port: int, directory: str | os.PathLike[str], token: str | None):
        if type(port) is not int or not 0 <= port < 1 << 16:
            raise OptionError(f"port= takes a number from 0 to 65535, not {port!r:.60}.")
        check_path("dir", directory, 'gait.serve(9012, "runs")')
        if token is not None:
            _check_token(token)
        self.token = _guard.new_secret() if token is None else token
        self.captures: list[Capture] = []
        self._on_request = OnRequest(directory)
        try:
            self._http = _Http((LOOPBACK, port), self)
        except OSError as error:
            self._on_request.close()
            raise GaitError(f"port {port} cannot be listened at: {error.strerror}.") from error
        self.port: int = self._http.server_port
        self._token_file = token_file(self.port)
        try:
            _write_token(self._token_file, self.token)
        except (OSError, GaitError) as error:
            _messages.say(f"{error}\nGive the token to gait capture in GAIT_TOKEN.")
        self._thread = threading.Thread(target=self._http.serve_forever, name="gait.serve", daemon=True)
        self._thread.start()
        _watch_the_process()
        Server._running.add(self)

    def close(self) -> None:
        """Stops listening, and the capture that is being made."""
        if self not in Server._running:
            return
        Server._running.discard(self)
        self._on_request.close()
        self._http.shutdown()
        self._http.server_close()
        self._remove_token()

    def _remove_token(self) -> None:
        with contextlib.suppress(OSError):
            self._token_file.unlink(missing_ok=True)

    @classmethod
    def at_exit(cls) -> None:
        for server in tuple(cls._running):
            server._remove_token()

    @classmethod
    def forget_after_fork(cls) -> None:
        """The port stays the parent's alone, and so do the connections: a child would keep them open as it lives on."""
        for server in tuple(cls._running):
            server._http.let_go()
            _listeners.remove(server._on_request)
        cls._running.clear()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<gait.Server {LOOPBACK}:{self.port}, {len(self.captures)} captures>"

    # -- what is answered ------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        return {
            "gait": __version__,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "command": sys.argv,
            "steps": _periods.count(),
            "busy": self._on_request.busy,
            "captures": len(self.captures),
        }

    def capture(self, wanted: dict[str, Any], has_gone: Callable[[], bool]) -> dict[str, Any]:
        """Makes one as the request wants it, for as long as whoever asks is there."""
        unknown = set(wanted) - {"steps", "duration_ms", "options"}
        if unknown:
            raise OptionError(f"a capture has no {', '.join(sorted(unknown))}.")
        steps, duration_ms = wanted.get("steps"), wanted.get("duration_ms")
        for name, value in (("steps", steps), ("duration_ms", duration_ms)):
            if value is not None and (type(value) is not int or not 1 <= value <= LARGEST[name]):
                raise OptionError(f"{name} takes an integer from 1 to {LARGEST[name]}, not {value!r:.60}.")
        capture = self._on_request.capture(
            steps=steps,
            seconds=None if duration_ms is None else duration_ms / 1000,
            options=wanted.get("options"),
            has_gone=has_gone,
        )
        self.captures.append(capture)
        return {
            "file": f"/gait/captures/{len(self.captures)}",
            "path": str(capture.xplane),
            "bytes": capture.bytes,
            "events": capture.events,
            "steps": capture.steps,
            "warnings": capture.warnings,
        }

    def stop(self) -> dict[str, Any]:
        return {"stopped": self._on_request.stop()}


@functools.cache
def _watch_the_process() -> None:
    """From now on, once."""
    os.register_at_fork(after_in_child=Server.forget_after_fork)
    atexit.register(Server.at_exit)


class _Http(BoundedServer):
    def __init__(self, address: tuple[str, int], owner: Server):
        self.owner = owner
        super().__init__(address, _Handler)


class _Handler(BoundedHandler):
    server: _Http

    def do_GET(self) -> None:
        if not self._allowed():
            return
        owner = self.server.owner
        if self.path == "/gait/status":
            return self._answer(200, owner.status())
        for number, capture in enumerate(owner.captures, 1):
            if self.path == f"/gait/captures/{number}":
                if not self.send_file(capture.xplane):
                    self._fail(404, "the file of this capture is gone.")
                return None
        return self._fail(404, "there is nothing of this name.", "GET /gait/status, or POST /gait/capture.")

    def do_POST(self) -> None:
        if not self._allowed():
            return
        if self.path == "/gait/stop":
            return self._answer(200, self.server.owner.stop())
        if self.path != "/gait/capture":
            return self._fail(404, "there is nothing of this name.", "POST /gait/capture.")
        try:
            length = int(self.headers.get("Content-Length") or 0)
            wanted = json.loads(self.rfile.read(length)) if 0 < length <= LARGEST_REQUEST else None
        except (ValueError, RecursionError):  # no number, no JSON; deeper than any object of ours
            wanted = None
        if not isinstance(wanted, dict):
            return self._fail(
                400, "the request is no JSON object.", 'Send {"duration_ms": 2000} or {"steps": 5}.'
            )
        self.work()
        try:
            return self._answer(200, self.server.owner.capture(wanted, self.has_gone))
        except OptionError as error:
            return self._fail(400, str(error))
        except RefusedError as error:
            return self._fail(409, str(error))
        except Exception as error:  # the program goes on, and whoever asked is told
            return self._fail(500, f"the capture failed: {error}")

    def _allowed(self) -> bool:
        # A page of a browser that was lured here names another host, and knows no token.
        here = _guard.names_this_machine(self.headers.get_all("Host"))
        given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if here and _guard.is_secret(given, self.server.owner.token):
            return True
        self._fail(403, "the token is missing or wrong.", "Give the server's token in GAIT_TOKEN.")
        return False

    def _answer(self, code: int, content: dict[str, Any]) -> None:
        self.answer(code, "application/json", json.dumps(content).encode())

    def _fail(self, code: int, what: str, hint: str = "") -> None:
        self._answer(code, {"error": {"what": what, "hint": hint}})


def serve(port: int = 0, dir: str | os.PathLike[str] = "runs", *, token: str | None = None) -> Server:
    """Lets `gait capture PORT` capture this program, from this machine only.

        gait.serve(9012)
        for i, batch in enumerate(batches):
            with gait.step(i):
                state = train_step(state, batch)

    port    0: a free one, which `port` of the result and a line on standard error say
    dir     the log directory in which captures are kept here; whoever asks gets a copy
    token   what requests must carry, ASCII without spaces; else a new one, which other programs of the same user
            find by themselves

    Captures begin and end between two steps, on the thread that runs them and with the devices idle. Where the
    program marks none, a capture is stopped while devices are at work, as jax.profiler.start_server does it too.
    GaitError when the port is taken.
    """
    server = Server(port, dir, token)
    _messages.say(f"listening at {LOOPBACK}:{server.port}. To capture: gait capture {server.port}")
    return server
