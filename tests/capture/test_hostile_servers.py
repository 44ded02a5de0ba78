"""gait capture against servers that mean no good: it ends in time, keeps nothing that is no capture, and shows its
token to nobody but the server that it is for."""

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import hostile
import pytest
from hostile import CAPTURE, FILE, STATUS, Server, reply, sends
from test_remote import Program, free_port, names, only_run, remote_capture  # noqa: F401  # a fixture

pytestmark = pytest.mark.usefixtures("remote_capture")

QUICK = ("--duration", "100ms", "--timeout", "3s")
PAGE = reply(b"<!doctype html><html>Sign in</html>", Content_Type="text/html")


def fails_in_time(gait, directory: Path, address: object, seconds: float = 7) -> str:
    began = time.monotonic()
    done = gait.run("capture", address, *QUICK, "-o", directory)
    took = time.monotonic() - began
    said = done.stderr.decode()
    assert done.returncode == 3, said + done.stdout.decode()
    assert took < seconds, f"{took:.1f} s: {said}"
    assert not directory.exists(), list(directory.rglob("*"))
    assert "gait: " in said and "Traceback" not in said
    return said


@pytest.mark.parametrize(
    ("path", "answer", "says"),
    [
        (STATUS, hostile.endless_body, "is no profiler server of JAX"),
        (STATUS, hostile.endless_head, "is no profiler server of JAX"),
        (STATUS, hostile.a_byte_a_second, "no answer (time is up)"),
        (STATUS, hostile.closes, "is no profiler server of JAX"),
        (STATUS, sends(b"\x00\xff" * 5000), "is no profiler server of JAX"),
        (STATUS, sends(PAGE), "is no profiler server of JAX"),
        (CAPTURE, hostile.endless_body, "larger than a message can be"),
        (CAPTURE, hostile.a_byte_a_second, "did not come in time"),
        (CAPTURE, hostile.closes, "the connection broke"),
        (CAPTURE, sends(b"\x00\xff" * 5000), "the connection broke"),
        (CAPTURE, sends(PAGE), "the answer makes no sense"),
        (FILE, hostile.endless_body, "did not come in time"),
        (FILE, hostile.a_byte_a_second, "did not come in time"),
        (FILE, hostile.closes, "the connection broke"),
        (FILE, sends(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n\x0a\x05"), "the connection broke"),
        (FILE, sends(PAGE), "what it sent is no capture (not an XPlane file: it is a web page"),
        (FILE, sends(reply(os.urandom(4096))), "what it sent is no capture"),
        (FILE, sends(reply(b'{"traceEvents": []}')), "what it sent is no capture"),
        (FILE, sends(reply(b"")), "recorded nothing"),
        (FILE, sends(reply(b"", "404 Not Found")), "its file is gone"),
    ],
)
def test_ends_in_time_and_leaves_nothing(gait, tmp_path, path, answer, says):
    with Server({path: answer}) as server:
        assert says in fails_in_time(gait, tmp_path / "runs", server.port)


def test_garbage_instead_of_any_protocol(gait, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                    connection.sendall(os.urandom(100_000))
                    connection.close()
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        fails_in_time(gait, tmp_path / "runs", listener.getsockname()[1])


@pytest.mark.parametrize("path", [STATUS, CAPTURE, FILE])
def test_no_redirection_is_followed(gait, tmp_path, path):
    with Server({}) as elsewhere:
        there = f"http://127.0.0.1:{elsewhere.port}{path}"
        with Server({path: sends(reply(b"", "302 Found", Location=there))}) as server:
            fails_in_time(gait, tmp_path / "runs", server.port)
        assert elsewhere.asked == []


def test_what_the_server_says_cannot_drive_the_terminal(gait, tmp_path):
    said = b'{"error": {"what": "\\u001b[2Jcleared", "hint": ""}}'
    with Server({CAPTURE: sends(reply(said, "409 Conflict"))}) as server:
        assert "\x1b" not in fails_in_time(gait, tmp_path / "runs", server.port)


def test_of_two_the_one_that_is_a_capture_is_kept(gait, tmp_path):
    program = Program().wait_until_ready()
    try:
        with Server({FILE: sends(PAGE)}) as server:
            addresses = f"{program.port},127.0.0.1:{server.port}"
            done = gait.run("capture", addresses, "--duration", "300ms", "-o", tmp_path)
    finally:
        program.close()
    assert done.returncode == 1, done.stderr.decode()
    assert b"what it sent is no capture" in done.stdout
    assert names(only_run(tmp_path)) == ["gait.json", f"localhost_{program.port}.xplane.pb"]


# -- the token ---------------------------------------------------------------------------------------------------------

WANTS_TOKEN = sends(reply(b"{}", "403 Forbidden"))


def leave_token(port: int, monkeypatch, tmp_path) -> None:
    """As gait.serve of this user does."""
    monkeypatch.delenv("GAIT_TOKEN", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = tmp_path / "gait"
    folder.mkdir(exist_ok=True)
    (folder / f"{port}.token").write_text("secret")
    (folder / f"{port}.token").chmod(0o600)


def own_address() -> str:
    """Of this machine, and no loopback one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no other address")
        return probe.getsockname()[0]


def test_the_token_goes_where_it_is_for(gait, tmp_path, monkeypatch):
    with Server({STATUS: WANTS_TOKEN}) as server:
        leave_token(server.port, monkeypatch, tmp_path)
        assert "it wants a token" in fails_in_time(gait, tmp_path / "runs", f"localhost:{server.port}")
        assert "Bearer secret" in server.asked[0]


@pytest.mark.parametrize("given", [False, True])
def test_the_token_is_sent_to_no_other_machine(gait, tmp_path, monkeypatch, given):
    address = own_address()
    with Server({STATUS: WANTS_TOKEN}, "0.0.0.0") as server:
        leave_token(server.port, monkeypatch, tmp_path)
        if given:
            monkeypatch.setenv("GAIT_TOKEN", "secret")
        said = fails_in_time(gait, tmp_path / "runs", f"{address}:{server.port}")
    assert server.asked and not any("secret" in head or "Bearer" in head for head in server.asked)
    assert "sends none to another machine" in said and "ssh -L" in said


def test_a_left_token_is_for_one_address_of_this_machine(gait, tmp_path, monkeypatch):
    """At the others anybody may listen at the same port."""
    with Server({STATUS: WANTS_TOKEN}, "127.0.0.2") as server:
        leave_token(server.port, monkeypatch, tmp_path)
        fails_in_time(gait, tmp_path / "runs", f"127.0.0.2:{server.port}")
        assert server.asked and not any("secret" in head for head in server.asked)
        monkeypatch.setenv("GAIT_TOKEN", "secret")  # of a tunnel, which may end there
        fails_in_time(gait, tmp_path / "runs", f"127.0.0.2:{server.port}")
        assert "Bearer secret" in server.asked[-1]


# -- its end -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def slow_names(tmp_path_factory):
    """A library whose look-up of names takes a minute, to be loaded before others."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("slow")
    source = folder / "slow.c"
    source.write_text("#include <unistd.h>\nint getaddrinfo() { sleep(60); return -2; }\n")
    library = folder / "slow.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", library, source], check=True)
    return str(library)


def test_looking_up_a_name_takes_no_longer_than_the_timeout(gait, tmp_path, monkeypatch, slow_names):
    monkeypatch.setenv("LD_PRELOAD", slow_names)
    assert "no answer (time is up)" in fails_in_time(gait, tmp_path / "runs", "training.example:9012")


def helpers_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in children.read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_helper_ends_with_gait_where_nothing_is_recorded(gait, tmp_path, monkeypatch, slow_names, how):
    monkeypatch.setenv("LD_PRELOAD", slow_names)
    command = [gait.program, "capture", f"training.example:{free_port()}", "-o", tmp_path / "runs"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        while not helpers_of(process.pid):
            time.sleep(0.02)
        (helper,) = helpers_of(process.pid)
        time.sleep(0.3)  # until it is in its main loop
        process.send_signal(how)
        process.wait(timeout=5)
        until = time.monotonic() + 3
        while is_running(helper) and time.monotonic() < until:
            time.sleep(0.05)
        assert not is_running(helper)
    finally:
        process.kill()
        process.communicate()
