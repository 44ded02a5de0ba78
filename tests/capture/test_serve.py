"""gait.serve: gait's own endpoint in a program, asked by gait capture and over plain HTTP."""

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import gait

PROGRAM = Path(__file__).parent / "served.py"


class Served:
    """served.py, or another program that prints its port and token, in a process of its own."""

    def __init__(self, directory: Path, *options: str, program: Path = PROGRAM):
        self.directory = directory
        self.process = subprocess.Popen(
            [sys.executable, program, directory, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "JAX_PLATFORMS": "cpu"},
        )

    def wait_until_ready(self) -> "Served":
        port, self.token = self.process.stdout.readline().decode().split()
        self.port = int(port)
        return self

    def ask(self, path: str, body: dict | bytes | None = None, **headers: str) -> tuple[int, bytes]:
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data)
        for name, value in {"Authorization": f"Bearer {self.token}", **headers}.items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def answer(self, path: str, body: dict | None = None) -> dict:
        code, text = self.ask(path, body)
        assert code == 200, text
        return json.loads(text)

    def close(self) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.process.stderr.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with contextlib.closing(Served(tmp_path_factory.mktemp("served"))) as program:
        program.wait_until_ready()
        while program.answer("/gait/status")["steps"] == 0:
            time.sleep(0.05)
        yield program


@pytest.fixture(scope="module")
def unmarked(tmp_path_factory):
    with contextlib.closing(Served(tmp_path_factory.mktemp("unmarked"), "--unmarked")) as program:
        yield program.wait_until_ready()


def test_status(served):
    status = served.answer("/gait/status")
    assert status["pid"] == served.process.pid
    assert status["steps"] > 0 and status["busy"] is False


def test_capture_and_download(served):
    made = served.answer("/gait/capture", {"steps": 3})
    assert len(made["steps"]) == 3
    code, content = served.ask(made["file"])
    assert code == 200
    # What was sent is what lies in the program's own log directory.
    assert content == Path(made["path"]).read_bytes()
    assert Path(made["path"]).is_relative_to(served.directory)
    assert len(content) == made["bytes"]


def test_a_time_ends_between_steps(served):
    made = served.answer("/gait/capture", {"duration_ms": 150})
    assert 2 <= len(made["steps"]) <= 30
    assert made["steps"] == list(range(made["steps"][0], made["steps"][0] + len(made["steps"])))


def test_without_marked_steps_only_time(unmarked):
    code, text = unmarked.ask("/gait/capture", {"steps": 3})
    assert code == 409 and b"marks no steps" in text
    assert unmarked.answer("/gait/capture", {"duration_ms": 100})["events"] > 0


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"steps": 0},
        {"steps": True},
        {"steps": 10**7},
        {"steps": 1, "duration_ms": 1},
        {"when": 1},
        {"duration_ms": "2s"},
        {"duration_ms": 10**13},
        {"duration_ms": 10**400},
    ],
)
def test_requests_that_make_no_sense(served, body):
    code, text = served.ask("/gait/capture", body)
    assert code in (400, 409), text
    assert json.loads(text)["error"]["what"]


@pytest.mark.parametrize(
    "body",
    [b"[" * 60_000, b'{"steps":' * 6_000, b"[]", b"\xff", b"{", b"1" * 60_000],
    ids=["deep lists", "deep objects", "a list", "no text", "half an object", "a long number"],
)
def test_what_is_no_object_is_refused(served, body):
    code, text = served.ask("/gait/capture", body)
    assert code == 400 and b"no JSON object" in text


@pytest.mark.parametrize("program", ["served", "unmarked"])
def test_a_capture_ends_when_nobody_waits_for_it(program, request):
    program = request.getfixturevalue(program)
    body = b'{"duration_ms": 3600000}'
    head = f"POST /gait/capture HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {program.token}\r\n"
    with socket.create_connection(("127.0.0.1", program.port)) as connection:
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        while not program.answer("/gait/status")["busy"]:
            time.sleep(0.05)
        time.sleep(0.5)
        assert program.answer("/gait/status")["busy"]
    until = time.monotonic() + 20
    while program.answer("/gait/status")["busy"]:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert program.answer("/gait/capture", {"duration_ms": 100})["events"] > 0


def test_unknown_options_are_refused(served):
    code, text = served.ask("/gait/capture", {"steps": 1, "options": {"host_tracer": 1}})
    assert code == 400 and b"host_tracer_level" in text


def test_only_with_the_token_and_from_this_machine(served):
    assert served.ask("/gait/status", Authorization="Bearer wrong")[0] == 403
    assert served.ask("/gait/status", Authorization="")[0] == 403
    assert served.ask("/gait/capture", {"steps": 1}, Authorization="Bearer wrong")[0] == 403
    # A name that somebody pointed at this machine.
    assert served.ask("/gait/status", Host="evil.example:80")[0] == 403
    own = socket.gethostbyname(socket.gethostname())
    if own != "127.0.0.1" and not own.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((own, served.port), timeout=2)


@pytest.mark.parametrize("token", ["", "two words", "\u00e9", "line\n", "x" * 1001])
def test_a_token_that_no_request_can_carry(tmp_path, token):
    with pytest.raises(gait.OptionError, match="token= takes"):
        gait.serve(0, tmp_path, token=token)


def test_other_paths(served):
    for path in ("/", "/gait/captures/999", "/gait/captures/../status", "/gait/captures/0"):
        assert served.ask(path)[0] == 404
    assert served.ask("/gait/nothing", {})[0] == 404


def test_token_file_is_private(served):
    from gait._serve import token_file

    path = token_file(served.port)
    assert path.read_text() == served.token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def only_run(directory: Path) -> Path:
    (run,) = (directory / "plugins" / "profile").iterdir()
    return run


def test_gait_capture_speaks_to_it(gait, served, tmp_path):
    document = gait.document("capture", f"localhost:{served.port}", "--duration", "200ms", "-o", tmp_path)
    (row,) = gait.rows(document, "programs")
    assert row["steps"] > 2 and row["events"] > 0
    assert (only_run(tmp_path) / row["file"]).stat().st_size == row["bytes"]


def test_gait_capture_counts_steps_exactly(gait, served, tmp_path):
    gait.document("capture", served.port, "--steps", "4", "-o", tmp_path)
    (steps,) = gait.rows(gait.document("info", only_run(tmp_path)), "steps")
    # One more than four: the first of a capture has no known beginning.
    assert steps["count"] == 5


def test_gait_capture_without_the_token(gait, served, tmp_path, monkeypatch):
    monkeypatch.setenv("GAIT_TOKEN", "wrong")
    done = gait.run("capture", served.port, "-o", tmp_path / "runs")
    assert done.returncode == 3
    assert b"it wants a token" in done.stderr
    monkeypatch.setenv("GAIT_TOKEN", served.token)
    assert gait.run("capture", served.port, "--duration", "100ms", "-o", tmp_path).returncode == 0


def test_gait_capture_interrupted(gait, served, tmp_path):
    process = subprocess.Popen(
        [gait.program, "capture", str(served.port), "--duration", "60s", "-o", tmp_path, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 0, stderr.decode()
    (row,) = gait.rows(json.loads(stdout), "programs")
    assert row["steps"] > 3
    assert served.answer("/gait/status")["busy"] is False


def test_the_program_ends_as_it_would_without(tmp_path):
    program = Served(tmp_path / "served").wait_until_ready()
    from gait._serve import token_file

    program.close()
    assert program.process.returncode == 0
    assert not token_file(program.port).exists()


def test_a_program_that_does_not_close_it_leaves_no_token(tmp_path):
    program = "import sys, gait; from gait._serve import token_file; print(token_file(gait.serve(0, sys.argv[1]).port))"
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path], capture_output=True, text=True, timeout=60, check=True
    )
    assert not Path(done.stdout.strip()).exists()


FORKED = """
import os, sys, socket, gait
from gait._serve import token_file
def connected():
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", server.port)) == 0
server = gait.serve(0, sys.argv[1])
asks = socket.create_connection(("127.0.0.1", server.port))
while not len(server._http._held): os.sched_yield()
connection, = server._http._held
inherited = server._http.socket.fileno(), connection.fileno()
ready, go = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    server.close()  # the parent's: nothing happens, and nobody is waited for
    for descriptor in inherited:
        try: os.fstat(descriptor)
        except OSError: os.write(ready[1], b"-")
        else: os.write(ready[1], b"+")
    os.close(go[1])
    os.read(go[0], 1)
    os._exit(0)
assert os.read(ready[0], 1) + os.read(ready[0], 1) == b"--"
assert connected() and token_file(server.port).exists()
server.close()
assert not connected()
os.close(go[1])
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_forked_child_has_nothing_of_it(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FORKED, tmp_path], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
