"""Servers that mean no good, as gait capture meets them: each answers one of its three questions in its own way, and
the others as gait.serve does."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable

STATUS, CAPTURE, FILE = "/gait/status", "/gait/capture", "/gait/captures/1"
HONEST = {
    STATUS: json.dumps({"gait": "0.1.0", "steps": 0}).encode(),
    CAPTURE: json.dumps({"file": FILE}).encode(),
    FILE: b"not reached",
}

Answer = Callable[[socket.socket], None]


def reply(content: bytes, status: str = "200 OK", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Server: gait", f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def sends(content: bytes) -> Answer:
    return lambda connection: connection.sendall(content)


def endless_body(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nServer: gait\r\n\r\n")
    while True:
        connection.sendall(b" " * 65536)
        time.sleep(0.001)


def endless_head(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")


def a_byte_a_second(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nServer: gait\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(1)


def closes(connection: socket.socket) -> None:
    pass


class Server:
    """`asked` is every request with its head; `answers` by path, else honest."""

    def __init__(self, answers: dict[str, Answer], host: str = "127.0.0.1"):
        self.answers = answers
        self.asked: list[str] = []
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family)
        self.port = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._listener, *self._connections):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(4096)
                if not piece:
                    return
                head += piece
            if head.startswith(b"PRI "):  # gRPC, which gait tries first
                return connection.sendall(reply(b"", "400 Bad Request"))
            self.asked.append(head.decode("latin-1"))
            path = self.asked[-1].split(" ")[1]
            answer = self.answers.get(path) or sends(reply(HONEST.get(path, b"")))
            answer(connection)
