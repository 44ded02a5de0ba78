"""A client of `gait view`: starts it, asks it, reads its tiles."""

import gzip
import http.client
import json
import os
import re
import signal
import struct
import subprocess
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data"
GAIT = Path(os.environ.get("GAIT", ROOT / "build" / "bin" / "gait"))


class Server:
    """`gait view` on a directory, on a free port."""

    def __init__(
        self, directory: Path | str, *options: str, browser: bool = False, environment: dict | None = None
    ) -> None:
        options += () if browser else ("--no-browser",)
        self.process = subprocess.Popen(
            [GAIT, "view", str(directory), "--port", "0", *options],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = [self.process.stdout.readline(), self.process.stdout.readline()]
        match = re.match(r"http://([^/]*):(\d+)/(?:\?token=(\w+))?", self.said[1])
        assert match, (self.said, self.process.stderr.read())
        self.port = int(match[2])
        self.token = match[3]

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(10) == 0
        self.process.stdout.close()
        self.process.stderr.close()

    @property
    def pass_(self) -> dict[str, str]:
        """What lets a request in."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def head(self, first: str = "GET /api/runs HTTP/1.1") -> bytes:
        """The lines of a request that is let in; it wants an empty one at its end."""
        lines = [first, "Host: localhost", *(f"{name}: {value}" for name, value in self.pass_.items())]
        return "".join(f"{line}\r\n" for line in lines).encode()

    def connect(self, timeout: float = 60) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def get(self, path: str, headers: dict[str, str] | None = None, method: str = "GET", **query: object):
        """Status, headers and content (decoded as its headers say), as one who has the token."""
        return self.ask(path, self.pass_ | (headers or {}), method, **query)

    def ask(self, path: str, headers: dict[str, str] | None = None, method: str = "GET", **query: object):
        """The same, with these headers only."""
        if query:
            path += "?" + urllib.parse.urlencode(query, doseq=True)
        connection = self.connect()
        try:
            connection.request(method, path, headers=headers or {})
            reply = connection.getresponse()
            body = reply.read()
            if reply.getheader("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            return reply.status, dict(reply.getheaders()), body
        finally:
            connection.close()

    def json(self, path: str, **query: object):
        status, _, body = self.get(path, **query)
        assert status == 200, (path, query, status, body[:500])
        return json.loads(body)

    def runs(self) -> dict[str, dict]:
        """By label."""
        return {run["label"]: run for run in self.json("/api/runs")["runs"]}

    def wait_for(self, condition, seconds: float = 10):
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end
            time.sleep(0.1)
        return value


def tracks_of(tree: list[dict]) -> list[dict]:
    found = []
    for node in tree:
        found += [node] if node["kind"] == "track" else tracks_of(node["children"])
    return found


def read_tile(data: bytes) -> dict:
    """A tile as docs/http.md describes its bytes."""
    magic, version, level, buckets, begin, count, zero = struct.unpack_from("<4sIIIdII", data)
    assert (magic, version, zero) == (b"GTIL", 1, 0)
    tile = {"level": level, "buckets": buckets, "begin": begin, "rows": {}}
    at = 32
    for _ in range(count):
        track, lane, kind, n, m, size = struct.unpack_from("<6I", data, at)
        assert at % 8 == 0 and size % 8 == 0
        place = at + 24

        def column(letter: str, length: int, width: int) -> list:
            nonlocal place
            values = list(struct.unpack_from(f"<{length}{letter}", data, place))
            place += length * width
            return values

        if kind == 0:
            row = {"begin": column("d", n, 8), "duration": column("d", n, 8), "busy": column("d", m, 8)}
            row |= {key: column("I", m, 4) for key in ("bucket", "count", "bucket_name", "bucket_event")}
            row |= {key: column("I", n, 4) for key in ("name", "event")}
        else:
            row = {key: column("d", m, 8) for key in ("low", "high", "mean", "last")}
            row["bucket"] = column("I", m, 4)
        assert 0 <= at + size - place < 8
        assert row["bucket"] == sorted(set(row["bucket"])) and all(0 <= b < buckets for b in row["bucket"])
        tile["rows"][track, lane] = row
        at += size
    assert at == len(data)
    return tile


def union_length(intervals: list[tuple[int, int]]) -> int:
    total, reached = 0, None
    for begin, end in sorted(intervals):
        if reached is None or begin > reached:
            reached = begin
        if end > reached:
            total += end - reached
            reached = end
    return total
