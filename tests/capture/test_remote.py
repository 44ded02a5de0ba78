"""gait capture against JAX's own profiler server, on this machine."""

import contextlib
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "program.py"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


class Program:
    """program.py in a process of its own."""

    def __init__(self, *options: str):
        self.port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, PROGRAM, str(self.port), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "JAX_PLATFORMS": "cpu"},
        )

    def wait_until_ready(self) -> "Program":
        assert self.process.stdout.readline() == b"ready\n"
        return self

    def close(self) -> None:
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def programs():
    """Two that train, one that trains in a profile of its own, one that does nothing."""
    started = {
        "first": Program(),
        "second": Program(),
        "traced": Program("--traced"),
        "idle": Program("--idle"),
    }
    try:
        yield {name: program.wait_until_ready().port for name, program in started.items()}
    finally:
        for program in started.values():
            program.close()


@pytest.fixture(scope="module", autouse=True)
def remote_capture(gait):
    if not (gait.program.resolve().parent / "gait-capture").exists():
        pytest.skip("gait was built without gRPC")


def only_run(directory: Path) -> Path:
    (run,) = (directory / "plugins" / "profile").iterdir()
    return run


def names(run: Path) -> list[str]:
    return sorted(path.name for path in run.iterdir())


def fails(gait, directory: Path, *args) -> str:
    """What it says; it must end with exit code 3 and leave nothing behind."""
    done = gait.run("capture", *args, "-o", directory)
    assert done.returncode == 3, done.stdout.decode() + done.stderr.decode()
    assert not directory.exists()
    return done.stderr.decode()


def test_one_program(gait, programs, tmp_path):
    port = programs["first"]
    document = gait.document("capture", f"localhost:{port}", "--duration", "500ms", "-o", tmp_path)
    run = only_run(tmp_path)
    assert names(run) == ["gait.json", f"localhost_{port}.xplane.pb"]
    (row,) = gait.rows(document, "programs")
    assert row["program"] == f"localhost:{port}"
    assert row["bytes"] == (run / row["file"]).stat().st_size
    assert row["devices"] == 1 and row["steps"] > 3
    # The run opens as any other, with the program's events.
    info = gait.document("info", run)
    (steps,) = gait.rows(info, "steps")
    assert steps["name"] == "train" and steps["count"] > 3
    assert "jit_train_step" in {program["name"] for program in gait.rows(info, "programs")}
    assert gait.run("overview", tmp_path).returncode == 0


def test_manifest(gait, programs, tmp_path):
    options = ("--duration", "200ms", "--host-tracer", "1", "--option", "gpu_max_activity_api_events=7")
    document = gait.document("capture", programs["first"], *options, "-o", tmp_path)
    manifest = json.loads((only_run(tmp_path) / "gait.json").read_text())
    (row,) = gait.rows(document, "programs")
    (file,) = manifest["files"]
    assert (file["name"], file["bytes"], file["events"]) == (row["file"], row["bytes"], row["events"])
    capture = manifest["capture"]
    assert capture["options"] == {
        "host_tracer_level": 1,
        "device_tracer_level": 1,
        "python_tracer_level": 0,
        "gpu_max_activity_api_events": 7,
    }
    (steps,) = gait.rows(gait.document("steps", tmp_path), "step_times")
    assert len(capture["steps"]) >= steps["steps"] > 0
    assert "gait" in capture["versions"]  # and those that the capture names, which JAX 0.10 does not on a CPU
    assert capture["end_unix_ns"] - capture["begin_unix_ns"] == pytest.approx(200e6)
    assert time.time_ns() - capture["end_unix_ns"] < 60e9


def test_two_programs_in_one_run(gait, programs, tmp_path):
    ports = [programs["first"], programs["second"]]
    addresses = ",".join(f"localhost:{port}" for port in ports)
    document = gait.document("capture", addresses, "--duration", "500ms", "-o", tmp_path)
    assert len(gait.rows(document, "programs")) == 2
    run = only_run(tmp_path)
    assert names(run) == sorted(["gait.json", *(f"localhost_{port}.xplane.pb" for port in ports)])
    hosts = gait.rows(gait.document("info", run), "hosts")
    assert [host["host"] for host in hosts] == sorted(f"localhost_{port}" for port in ports)


def test_steps(gait, programs, tmp_path):
    document = gait.document("capture", programs["first"], "--steps", "5", "-o", tmp_path)
    steps = gait.rows(gait.document("steps", only_run(tmp_path)), "steps")
    assert sum("first" not in step["flags"] and "partial" not in step["flags"] for step in steps) >= 5
    # Not whatever half a second holds: the window was made to fit.
    assert len(steps) <= 3 * 5 + 20 + 2
    assert "whole steps" in document["answer"]


def test_options_reach_the_program(gait, programs, tmp_path):
    gait.document("capture", programs["first"], "--duration", "300ms", "-o", tmp_path / "off")
    gait.document(
        "capture", programs["first"], "--duration", "300ms", "--python-tracer", "-o", tmp_path / "on"
    )

    def python_calls(directory: Path) -> int:
        done = gait.run("dump", only_run(directory), "--name", r"^\$", "--csv", "--limit", "0")
        return len(done.stdout.splitlines()) - 1

    assert python_calls(tmp_path / "off") == 0
    assert python_calls(tmp_path / "on") > 3


def test_nothing_listens(gait, tmp_path):
    port = free_port()
    said = fails(gait, tmp_path / "runs", f"localhost:{port}")
    assert f"gait: localhost:{port}: nothing listens there.\n" in said
    assert "gait.serve(PORT) or jax.profiler.start_server(PORT)" in said


def test_no_such_host(gait, tmp_path):
    assert "there is no host of this name" in fails(gait, tmp_path / "runs", "nowhere.invalid:9012")


def test_all_have_to_answer(gait, programs, tmp_path):
    port = free_port()
    said = fails(gait, tmp_path / "runs", f"localhost:{programs['first']},localhost:{port}")
    assert f"localhost:{port}: nothing listens there." in said
    assert "Nothing was recorded" in said


def test_a_port_that_speaks_http(gait, tmp_path):
    handler = http.server.SimpleHTTPRequestHandler
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        said = fails(gait, tmp_path / "runs", f"localhost:{server.server_port}")
        server.shutdown()
    assert "is no profiler server of JAX" in said


def test_a_session_runs_there(gait, programs, tmp_path):
    said = fails(gait, tmp_path / "runs", programs["traced"], "--duration", "200ms")
    assert "a profiler session is running there already" in said


def test_what_came_is_kept_when_another_fails(gait, programs, tmp_path):
    addresses = f"{programs['first']},{programs['traced']}"
    done = gait.run("capture", addresses, "--duration", "200ms", "--json", "-o", tmp_path)
    assert done.returncode == 1, done.stderr.decode()
    document = json.loads(done.stdout)
    assert any("already" in warning for warning in document["warnings"])
    first, second = gait.rows(document, "programs")
    assert first["events"] > 0 and first["error"] is None
    assert second["events"] is None and "already" in second["error"]
    assert names(only_run(tmp_path)) == ["gait.json", f"localhost_{programs['first']}.xplane.pb"]


def test_nothing_happens(gait, programs, tmp_path):
    said = fails(gait, tmp_path / "runs", programs["idle"], "--duration", "200ms")
    assert "nothing happened while it was recorded" in said


def test_deadline(gait, tmp_path):
    program = Program().wait_until_ready()
    # While it is being recorded the program is stopped, so that it cannot answer.
    stop = threading.Timer(2, program.process.send_signal, [signal.SIGSTOP])
    try:
        stop.start()
        said = fails(gait, tmp_path / "runs", program.port, "--duration", "4s", "--timeout", "200ms")
        assert "did not come in time" in said
    finally:
        stop.join()
        program.close()


def test_a_directory_that_cannot_be_made(gait, programs, tmp_path):
    (tmp_path / "file").write_text("x")
    done = gait.run("capture", programs["first"], "-o", tmp_path / "file" / "runs")
    assert done.returncode == 3
    assert "cannot be made" in done.stderr.decode()


@contextlib.contextmanager
def long_capture(gait, port: int, directory: Path):
    """gait capture that would take a minute; it is recording when this is entered."""
    process = subprocess.Popen(
        [gait.program, "capture", str(port), "--duration", "60s", "-o", directory, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        time.sleep(1.5)
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("interrupt", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(gait, programs, tmp_path, interrupt):
    with long_capture(gait, programs["first"], tmp_path) as process:
        process.send_signal(interrupt)
        stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 0, stderr.decode()
    document = json.loads(stdout)
    (row,) = gait.rows(document, "programs")
    assert row["steps"] > 3
    assert "ended early, by an interrupt" in document["notes"]
    assert json.loads((only_run(tmp_path) / "gait.json").read_text())["capture"]["interrupted"] is True
    # The session over there is over too.
    assert (
        gait.run("capture", programs["first"], "--duration", "100ms", "-o", tmp_path / "again").returncode
        == 0
    )


def test_without_gait_the_capture_is_still_written(gait, programs, tmp_path):
    with long_capture(gait, programs["first"], tmp_path) as process:
        process.kill()
        process.wait()
    run = only_run(tmp_path)
    deadline = time.monotonic() + 30
    while not list(run.glob("*.xplane.pb")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert gait.rows(gait.document("info", run), "steps")[0]["name"] == "train"


def test_the_program_dies(gait, tmp_path):
    program = Program().wait_until_ready()
    try:
        with long_capture(gait, program.port, tmp_path / "runs") as process:
            program.process.kill()
            _, stderr = process.communicate(timeout=30)
        assert process.returncode == 3
        assert "the connection broke" in stderr.decode()
        assert not (tmp_path / "runs").exists()
    finally:
        program.close()


def test_gait_without_its_helper_says_what_to_install(gait, tmp_path):
    alone = tmp_path / "bin" / "gait"
    alone.parent.mkdir()
    shutil.copy(gait.program, alone)
    done = subprocess.run(
        [alone, "capture", "localhost:9012"], capture_output=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 3
    assert b"libgrpc++-dev" in done.stderr
    # Where it is installed.
    libexec = tmp_path / "libexec" / "gait"
    libexec.mkdir(parents=True)
    shutil.copy(gait.program.resolve().parent / "gait-capture", libexec)
    port = free_port()
    done = subprocess.run([alone, "capture", str(port)], capture_output=True, check=False, cwd=tmp_path)
    assert b"nothing listens there" in done.stderr


def test_the_command_itself_does_not_load_grpc(gait):
    libraries = subprocess.run(["ldd", gait.program], capture_output=True, check=True).stdout
    assert b"grpc" not in libraries
