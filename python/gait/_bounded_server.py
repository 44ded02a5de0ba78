"""An HTTP server inside the training program that is never in its way, whoever connects.

The server holds at most MOST_CONNECTIONS, and none where the program is about to run out of file descriptors. A
client has to send its whole request within REQUEST_SECONDS, and to take the answer within its time. When a further
connection comes, the server closes all that have asked nothing for GRACE_SECONDS; where there is none, it answers
the new one "503" and closes it at once.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import http.server
import json
import math
import os
import resource
import shutil
import socket
import threading
import time
from pathlib import Path
from typing import Any

MOST_CONNECTIONS = 16
REQUEST_SECONDS = 10.0  # for a whole request
GRACE_SECONDS = 1.0  # in which nobody takes a connection's place
ANSWER_SECONDS = 60.0  # for the answer, and
ANSWER_BYTES_PER_SECOND = 1 << 20  # as fast as it has to be taken
RELEASE_SECONDS = 0.5  # that the thread of a closed connection needs to end
PROGRAM_DESCRIPTORS = 32  # below the limit of the process, that stay the program's


def _refusal(what: str) -> bytes:
    text = json.dumps({"error": {"what": what, "hint": "Ask again in a second."}}).encode()
    head = f"HTTP/1.0 503 Busy\r\nServer: gait\r\nRetry-After: 1\r\nContent-Length: {len(text)}\r\n\r\n"
    return head.encode() + text


NO_PLACE = _refusal(f"{MOST_CONNECTIONS} connections are held already.")
NO_DESCRIPTORS = _refusal("the program has hardly any file descriptors left.")


def _hang_up(connection: socket.socket) -> None:
    """Whoever reads from it or writes to it is told at once; its descriptor is that thread's to close."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _is_scarce(descriptor: int) -> bool:
    """A new descriptor is the lowest free one, so all below it are in use."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit != resource.RLIM_INFINITY and descriptor >= limit - PROGRAM_DESCRIPTORS


@dataclasses.dataclass
class _Held:
    since: float
    until: float
    has_asked: bool = False


class BoundedServer(http.server.ThreadingHTTPServer):
    """On the loopback address. Its handlers are BoundedHandlers."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: Any):
        self._held: dict[socket.socket, _Held] = {}
        self._released = threading.Condition()
        super().__init__(address, handler)

    def allow(self, connection: socket.socket, seconds: float) -> None:
        """For what comes next, once the request is known to be one."""
        with self._released:
            if connection in self._held:
                self._held[connection] = _Held(time.monotonic(), time.monotonic() + seconds, has_asked=True)

    def let_go(self) -> None:
        """In a forked child: closes what it has of the sockets, and says nothing to whoever is at their other ends."""
        for inherited in (self.socket, *self._held):
            descriptor = inherited.detach()
            if descriptor >= 0:
                os.close(descriptor)

    # -- what socketserver calls -----------------------------------------------------------------------------------

    def get_request(self) -> Any:
        try:
            return super().get_request()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                time.sleep(0.1)  # it stays in the queue, and asking again at once would keep a core busy
            raise

    def verify_request(self, request: Any, client_address: Any) -> bool:
        refusal = NO_DESCRIPTORS if _is_scarce(request.fileno()) else None
        with self._released:
            if refusal is None and not self._has_room():
                refusal = NO_PLACE
            if refusal is None:
                now = time.monotonic()
                self._held[request] = _Held(now, now + REQUEST_SECONDS)
                return True
        request.setblocking(False)
        with contextlib.suppress(OSError):
            request.send(refusal)
        return False

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._released:
            self._held.pop(request, None)
            self._released.notify_all()

    def service_actions(self) -> None:
        """Twice a second and with every connection that comes."""
        now = time.monotonic()
        with self._released:
            for connection, held in self._held.items():
                if held.until < now:
                    _hang_up(connection)

    def handle_error(self, *_: Any) -> None:
        """A client that went away is no news to the program."""

    def _has_room(self) -> bool:
        if len(self._held) < MOST_CONNECTIONS:
            return True
        before = time.monotonic() - GRACE_SECONDS
        idle = [one for one, held in self._held.items() if not held.has_asked and held.since < before]
        if not idle:
            return False
        for one in idle:  # all: the next to come would wait for a place again, and everybody behind it
            _hang_up(one)
        return self._released.wait_for(lambda: len(self._held) < MOST_CONNECTIONS, RELEASE_SECONDS)


class BoundedHandler(http.server.BaseHTTPRequestHandler):
    """One request of one connection. Its answers have as much time as their size needs."""

    server: BoundedServer
    server_version = "gait"

    def log_message(self, *_: Any) -> None:
        """The program's standard error is its own."""

    def work(self) -> None:
        """The request came whole and may be done: what it takes is not the client's time."""
        self.server.allow(self.connection, math.inf)

    def has_gone(self) -> bool:
        """Whether the client has closed the connection; what it sends beyond its request does not matter."""
        try:
            return not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def answer(self, code: int, content_type: str, content: bytes) -> None:
        self._begin(code, content_type, len(content), {})
        self.wfile.write(content)

    def send_file(self, path: Path, headers: dict[str, str] | None = None) -> bool:
        """Piece by piece. False, and nothing is sent, when there is no such file."""
        try:
            file = open(path, "rb")  # noqa: SIM115  # closed below; the answer depends on it
        except (OSError, TypeError):
            return False
        with file:
            size = os.fstat(file.fileno()).st_size
            self._begin(200, "application/octet-stream", size, headers or {})
            shutil.copyfileobj(file, self.wfile, 1 << 20)
        return True

    def _begin(self, code: int, content_type: str, size: int, headers: dict[str, str]) -> None:
        self.server.allow(self.connection, ANSWER_SECONDS + size / ANSWER_BYTES_PER_SECOND)
        self.send_response(code)
        for name, value in {"Content-Type": content_type, "Content-Length": str(size), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
