"""python -m gait.view, open_latest_profile and python -m gait.compat: rows D1, D2, E10 to E13 of docs/seeds.md."""

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from programs import run_program

import gait
from gait import view
from gait.compat import _viewers, xax

# Stands for TensorBoard, which is not installed here: writes down how it was called.
FAKE = {
    "__init__.py": "",
    "default.py": "get_plugins = list",
    "main_lib.py": "global_init = list",
    "plugins/base_plugin.py": "class FlagsError(Exception): pass",
    "main.py": """
import sys
from tensorboard import program
def run_main():
    made = program.TensorBoard()
    made.configure(sys.argv)
    made.main()
""",
    "program.py": """
import json, os, types
class WerkzeugServer:
    def __init__(self, application, flags):
        self.application = application
    def get_url(self):
        return "here/"
def with_port_scanning(server):
    return server
class TensorBoard:
    def __init__(self, plugins=(), server_class=WerkzeugServer):
        self.server_class = server_class
    def configure(self, argv):
        self.argv = argv[1:]
    def main(self):
        try:
            import imghdr
        except ImportError:
            imghdr = None
        image = None if imghdr is None else imghdr.what(None, b"GIF89a")
        with open(os.environ["CALLED"], "w") as file:
            flags = types.SimpleNamespace(bind_all=False, host=None)
            address = self.server_class(None, flags).get_url()
            json.dump({"argv": self.argv, "image": image, "address": address}, file)
""",
}


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    """A log directory with two captures."""
    import jax.numpy as jnp

    directory = tmp_path_factory.mktemp("view") / "profiles"
    for name in ("first", "second"):
        with gait.trace(directory, name, perfetto=True) as capture:
            jnp.ones(8).sum().block_until_ready()
        capture.wait()
    return directory


@pytest.fixture
def fake_tensorboard(tmp_path, monkeypatch):
    package = tmp_path / "site" / "tensorboard"
    for name, text in FAKE.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    (tmp_path / "site" / "tensorboard_plugin_profile.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    )
    monkeypatch.setenv("CALLED", str(tmp_path / "called.json"))
    return lambda: json.loads((tmp_path / "called.json").read_text())


def test_seed_D1_a_viewer_with_port_and_for_other_machines(profiles, fake_tensorboard):
    assert (
        view.main(["--profile-dir", str(profiles), "--ui", "tensorboard", "--port", "6007", "--bind-all"])
        == 0
    )
    wanted = ["--logdir", str(profiles), "--port", "6007", "--bind_all"]
    assert fake_tensorboard()["argv"] == [*wanted, "--load_fast", "false"]
    assert re.fullmatch(r"here/\?token=\S{22,}", fake_tensorboard()["address"])


def test_seed_D1_a_viewer_without_a_token_is_for_this_machine(
    profiles, fake_tensorboard, capsys, monkeypatch
):
    words = ["--profile-dir", str(profiles), "--no-token", "--port", "6007"]
    assert view.main([*words, "--ui", "tensorboard"]) == 0
    assert fake_tensorboard()["argv"] == ["--logdir", str(profiles), "--port", "6007"]
    assert fake_tensorboard()["address"] == "here/"
    for where in (["--bind-all"], ["--host", "0.0.0.0"], ["--host", "elsewhere"]):
        assert view.main([*words, *where, "--ui", "tensorboard"]) == 1
        assert "--no-token is for this machine alone" in capsys.readouterr().err


def test_seed_D2_runs_are_listed_and_chosen(profiles, capsys):
    assert view.main(["--profile-dir", str(profiles), "--list-only"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"Traces in {profiles}:"
    assert re.fullmatch(r"  1\. second/plugins/profile/\S+ \(\d+\.\d KB\)", lines[1])
    assert "second" in gait.load(profiles).path  # the newest
    assert "first" in gait.load(profiles / "first").path


def test_seed_D8_perfetto_gets_the_file_and_nobody_else(profiles):
    trace = next(profiles.glob("**/*.trace.json.gz"))
    server = _viewers.PerfettoServer(trace, port=0)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        address = server.link.partition("url=")[2]
        with urllib.request.urlopen(address) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == "https://ui.perfetto.dev"
            assert answer.read() == trace.read_bytes()
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(address.rpartition("/")[0] + "/etc/passwd")
    finally:
        server.shutdown()
        thread.join()
        server.close()


def test_seed_E10_opens_the_newest_without_blocking(profiles, fake_tensorboard, monkeypatch):
    monkeypatch.setenv("XAX_PROFILE_DIR", str(profiles))
    process = xax.open_latest_profile()
    assert process.wait(60) == 0
    assert fake_tensorboard()["argv"][:2] == ["--logdir", str(profiles / "second")]
    assert "?token=" in fake_tensorboard()["address"]


def test_seed_E10_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.delenv("XAX_PROFILE_DIR", raising=False)
    with pytest.raises(ValueError, match="XAX_PROFILE_DIR"):
        xax.open_latest_profile()
    with pytest.raises(ValueError, match="there is no folder"):
        xax.open_latest_profile(tmp_path / "none")
    if not _viewers.has_tensorboard():
        with pytest.raises(gait.GaitError, match="pip install tensorboard"):
            _viewers.start_tensorboard(tmp_path, token="")


def test_seed_E11_the_unified_viewer(profiles, tmp_path, capsys):
    done = run_program("-m", "gait.view", "--list-only", cwd=profiles.parent)  # finds ./profiles by itself
    assert done.returncode == 0 and "perfetto_trace.json.gz" in done.stdout and ".xplane.pb" in done.stdout
    assert view.main(["--profile-dir", str(tmp_path / "none")]) == 1
    assert "there is no folder" in capsys.readouterr().err
    assert view.main(["--profile-dir", str(tmp_path)]) == 1


def test_seed_E11_perfetto_is_served_until_interrupted(profiles, tmp_path):
    """The browser gets a page that only this user can read; no argument of any process has the address."""
    told, browser = tmp_path / "told", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{told}.part\nmv {told}.part {told}\n')
    browser.chmod(0o755)
    environment = {**os.environ, "BROWSER": str(browser), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "gait.view", "--profile-dir", str(profiles), "--ui", "perfetto"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    try:
        for line in process.stdout:
            if line.startswith("Perfetto: "):
                link = line.removeprefix("Perfetto: ").strip()
                address = link.partition("url=")[2]
                assert urllib.request.urlopen(address).status == 200
                break
            if "cannot be had" in line:
                pytest.skip("something else has the port")
        wait_for(told.exists)
        secret = address.split("/")[3]
        assert secret not in told.read_text()
        page = Path(urllib.parse.urlsplit(told.read_text().strip()).path)
        assert f'content="0; url={link}"' in page.read_text()
        assert page.stat().st_mode & 0o777 == 0o600 and page.parent.stat().st_mode & 0o777 == 0o700
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert not page.parent.exists()
    finally:
        process.kill()
        process.communicate()


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_seed_D8_E11_the_newest_is_shown_after_extracting_too(profiles, tmp_path):
    import shutil

    copy = shutil.copytree(profiles, tmp_path / "copy")  # with the times of the originals
    assert "second" in str(view.find_traces(copy)[0])
    assert view.main(["--profile-dir", str(copy), "--extract"]) == 0
    assert "second" in str(view.find_traces(copy)[0])
    assert "second" in str(next(path for path in view.find_traces(copy) if path.suffix == ".json"))


@pytest.mark.parametrize(
    ("ui", "ending"), [("gait", signal.SIGTERM), ("gait", signal.SIGHUP), ("both", signal.SIGTERM)]
)
def test_seed_E11_without_tensorboard_the_port_holds_and_a_signal_ends_the_viewer(profiles, ui, ending):
    if ui == "both" and _viewers.has_tensorboard():
        pytest.skip("TensorBoard is installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    not_ignored = ["env", "--default-signal=HUP"]  # as it is behind nohup
    command = [sys.executable, "-m", "gait.view", "--profile-dir", str(profiles), "--ui", ui]
    process = subprocess.Popen(
        [*not_ignored, *command, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "BROWSER": "true"},
    )

    def answers():
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).status == 200
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    try:
        if ui == "both":
            said = next(line for line in process.stdout if "Perfetto: " in line or "cannot be had" in line)
            if "cannot be had" in said:  # something else has Perfetto's port: the viewer ends with its parent
                assert process.wait(30) == 1
                wait_for(lambda: not answers(), 10)
                return
        wait_for(answers)
        process.send_signal(ending)
        assert process.wait(30) == 128 + ending
        wait_for(lambda: not answers(), 10)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_run_that_perfetto_cannot_show_is_shown_all_the_same(tmp_path, monkeypatch, capsys):
    run = tmp_path / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    (run / "vm.xplane.pb").write_bytes(b"\n")

    class Viewer:
        wait = staticmethod(lambda: 0)
        terminate = staticmethod(lambda: None)

    monkeypatch.setattr(view, "open_run", lambda run, *words, **_: Viewer)
    monkeypatch.setattr(view, "has_tensorboard", lambda: False)
    assert view.main(["--profile-dir", str(tmp_path)]) == 0
    assert "no trace.json.gz here" in capsys.readouterr().out
    assert view.main(["--profile-dir", str(tmp_path), "--ui", "perfetto"]) == 1


def test_perfetto_ends_with_a_viewer_whose_port_is_taken(profiles):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "gait.view", "--profile-dir", str(profiles), "--ui", "both"]
        environment = {**os.environ, "BROWSER": "true"}
        done = subprocess.run([*command, "--port", port], capture_output=True, timeout=60, env=environment)
    assert done.returncode != 0
    assert port in done.stderr.decode()


def test_a_port_that_cannot_be_is_refused(profiles, capsys):
    for port in ("99999", "-1", "http"):
        with pytest.raises(SystemExit):
            view.main(["--profile-dir", str(profiles), "--port", port])
    assert "a port is a number up to 65535" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "bound"), [(["--bind-all"], "0.0.0.0"), (["--host", "127.0.0.2"], "127.0.0.2")]
)
def test_seed_D1_the_fallback_listens_where_it_is_told(profiles, monkeypatch, options, bound):
    called = []

    class Ended:
        wait = staticmethod(lambda: 0)
        terminate = staticmethod(lambda: None)

    monkeypatch.setattr(view, "open_run", lambda run, *words, **_: called.append(words) or Ended)
    assert view.main(["--profile-dir", str(profiles), "--ui", "gait", "--port", "7000", *options]) == 0
    assert called == [("--port=7000", f"--bind={bound}")]


def test_seed_E12_pythons_without_imghdr(profiles, fake_tensorboard):
    """The child has the module: Python's own, or what stands in for it."""
    assert view.main(["--profile-dir", str(profiles), "--ui", "tensorboard"]) == 0
    assert fake_tensorboard()["image"] == "gif"
    from gait.compat import _tensorboard

    assert [_tensorboard._what(None, h) for h in (b"\x89PNG\r\n\x1a\n..", b"\xff\xd8\xff\xe0", b"text")] == [
        "png",
        "jpeg",
        None,
    ]


def test_seed_E13_extracted_beside_themselves(profiles, tmp_path, capsys):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(profiles, copy)
    assert view.main(["--profile-dir", str(copy), "--extract"]) == 0
    packed = sorted(copy.glob("**/*.json.gz"))
    assert len(packed) == 4
    for path in packed:
        assert path.with_suffix("").read_bytes() == gzip.decompress(path.read_bytes())
        assert path.with_suffix("") in view.find_traces(copy)
    packed[0].write_bytes(packed[0].read_bytes()[:-20])
    (copy / "empty.trace.json.gz").write_bytes(b"")
    capsys.readouterr()
    assert view.main(["--profile-dir", str(copy), "--extract"]) == 1
    out = capsys.readouterr().out
    assert "is damaged" in out and "empty: the capture went wrong" in out
    assert not list(copy.glob("**/*.partial"))


def test_a_tensorboard_without_the_plugin_is_said(fake_tensorboard, tmp_path, monkeypatch):
    (tmp_path / "site" / "tensorboard_plugin_profile.py").unlink()
    if _viewers.importlib.util.find_spec("xprof") is None:
        assert "no Profile tab" in _viewers.tensorboard_problem()


def test_how_to_switch(tmp_path):
    done = run_program("-m", "gait.compat", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for line in ("+ from gait.compat.supergrad import ...", "- from ueaj.utils import profile_trace, ..."):
        assert line in done.stdout
    assert done.stdout.count("What is different:") == 4
    assert max(map(len, done.stdout.splitlines())) <= 120
    assert run_program("-m", "gait.compat", "xax", cwd=tmp_path).stdout.startswith("XAX\n")
    assert run_program("-m", "gait.compat", "other", cwd=tmp_path).returncode == 2
