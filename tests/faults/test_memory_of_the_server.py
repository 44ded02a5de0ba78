"""One allocation of a running server fails, malloc's or operator new's: the answer is an error, the server goes on."""

import contextlib
import http.client
import mmap
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build" / "tests" / "libgait_failing_memory.so"
sys.path.insert(0, str(ROOT / "tests" / "serve"))
from client import DATA, Server  # noqa: E402

CAPTURE = DATA / "cpu" / "same_names.xplane.pb.gz"
RUNS = 40


@pytest.fixture
def logdir(tmp_path):
    """Runs that nobody has opened, and one that cannot be read."""
    for i in range(RUNS):
        (tmp_path / f"whole{i}").mkdir()
        (tmp_path / f"whole{i}" / "vm.xplane.pb.gz").write_bytes(CAPTURE.read_bytes())
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "vm.xplane.pb").write_bytes(b"this is no capture" * 1000)
    return tmp_path


@contextlib.contextmanager
def starved(directory: Path, at_least: int):
    """A server, and what sets how many allocations are left until the one that fails; 0: none will."""
    assert LIBRARY.exists(), "tools/build.sh release gait_failing_memory makes it; make test does"
    counter = directory / ".counter"
    counter.write_bytes(bytes(8))
    environment = {
        **os.environ,
        "LD_PRELOAD": str(LIBRARY),
        "GAIT_FAIL_COUNTER": str(counter),
        "GAIT_FAIL_FROM": str(at_least),
    }
    with open(counter, "r+b") as file, mmap.mmap(file.fileno(), 8) as shared:

        def leave(count: int) -> int:
            """Those that were left so far."""
            before = struct.unpack("<q", shared)[0]
            shared[:] = struct.pack("<q", count)
            return before

        with Server(directory, environment=environment) as server:
            yield server, leave


def ask(server: Server, path: str) -> int | None:
    """The status; None where the connection was lost. TimeoutError where nothing comes."""
    with contextlib.closing(server.connect(timeout=20)) as connection:
        try:
            connection.request("GET", path, headers={**server.pass_, "Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (ConnectionError, http.client.HTTPException):
            return None


def statuses(server: Server, leave: Callable[[int], int], paths: list[str], step: int) -> list[int | None]:
    """Of requests in each of which another allocation fails, as long as they have so many."""
    found, left = [], 1
    for path in paths:
        leave(left)
        found.append(ask(server, path))
        has_failed = leave(0) <= 0
        assert server.process.poll() is None, f"{path}, allocation {left}: the server has ended"
        assert ask(server, path) in (200, 422), f"{path}, allocation {left}: what failed stays"
        if not has_failed:
            return found
        left += step
    return found


@pytest.mark.parametrize(("at_least", "step"), [(0, 1), (0, 37), (30, 5), (5000, 1), (20000, 1)])
def test_the_next_request_works(logdir, at_least, step):
    with starved(logdir, at_least) as (server, leave):
        ids = {name: run["id"] for name, run in server.runs().items()}
        overviews = [f"/api/runs/{ids[f'whole{i}']}/overview" for i in range(RUNS)]
        found = statuses(server, leave, overviews, step)
        assert sum(status in (None, 422, 500, 503) for status in found) >= min(len(found) - 1, 5), found


@pytest.mark.parametrize(
    "path", ["/api/runs", "/api/runs/{broken}/overview", "/api/runs/{whole0}/overview", "/"]
)
def test_a_reply_that_is_made_already(logdir, path):
    with starved(logdir, 0) as (server, leave):
        path = path.format(**{name: run["id"] for name, run in server.runs().items()})
        ask(server, path)
        found = statuses(server, leave, [path] * 400, 1)
        assert len(found) < 400 and found[-1] in (200, 422), found
        assert any(status in (None, 500, 503) for status in found), found


def test_connections_are_accepted_afterwards(logdir):
    """Each connection needs memory that the ones before, which stay, have kept; another allocation fails for each."""
    with starved(logdir, 0) as (server, leave), contextlib.ExitStack() as open_ones:
        for left in range(1, 40):
            leave(left)
            connection = open_ones.enter_context(contextlib.closing(server.connect(timeout=20)))
            with contextlib.suppress(ConnectionError):  # this one may be lost
                connection.connect()
            assert ask(server, "/api/runs") in (200, 500, 503, None)
            leave(0)
            assert ask(server, "/api/runs") == 200, f"allocation {left}: nobody is let in any more"
