"""What readers of the documents do: run programs, start viewers, ask gait."""

import contextlib
import fcntl
import gzip
import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from gait._command import command

HERE = Path(__file__).resolve().parent
TENSORBOARD = HERE.parents[1] / "build" / "bench-venv" / "bin" / "tensorboard"
PACKAGES = sysconfig.get_paths()["purelib"]  # gait's; TensorBoard has an environment of its own


def run(*words, cwd, **environment) -> subprocess.CompletedProcess:
    """A program of this folder, as `python WORDS` in `cwd`; it must succeed."""
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
            "PYTHONIOENCODING": "utf-8",
            "JAX_PLATFORMS": "cpu",
            **environment,
        },
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def once(factory: pytest.TempPathFactory, name: str, make) -> tuple[Path, SimpleNamespace]:
    """A folder in which `make(folder)` ran, and what that printed: once for all processes of the tests."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"seed_{name}"
    folder.mkdir(exist_ok=True)
    printed = folder.with_suffix(".json")
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not printed.exists():
            done = make(folder)
            printed.write_text(json.dumps({"stdout": done.stdout, "stderr": done.stderr}))
    return folder, SimpleNamespace(**json.loads(printed.read_text()))


def program(name: str) -> Path:
    return HERE / name


def ask(*words, status: int = 0) -> dict:
    """What `gait WORDS --json` says."""
    done = subprocess.run(
        [command(), *map(str, words), "--json"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def rows(document: dict, table: str) -> list[dict]:
    found = document["tables"][table]
    names = [column["name"] for column in found["columns"]]
    return [dict(zip(names, row, strict=True)) for row in found["rows"]]


def scopes(capture) -> dict[str, int]:
    """Device time by the outermost scope, in picoseconds."""
    listed = rows(ask("ops", capture, "--by", "scope", "--top", 0), "ops")
    return {row["name"]: row["time"] for row in listed if not row["depth"]}


def changes(before, after) -> dict[str, tuple[int, int]]:
    """What `gait diff` says of a step's parts: before and after, in picoseconds."""
    return {row["part"]: (row["a"], row["b"]) for row in rows(ask("diff", before, after), "what_changed")}


def products(capture) -> int:
    """How many matrix products its programs have: unlike their time the same on a busy machine."""
    return sum(row["category"] == "matmul" for row in rows(ask("ops", capture, "--top", 0), "ops"))


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def tensorboard(logdir, *options, token: str = "") -> contextlib.AbstractContextManager[str]:
    """The address of a real TensorBoard, started as the documents say; with a token: as gait starts it."""
    ours = f"import site; site.addsitedir({PACKAGES!r}); from gait.compat import _tensorboard as t; t.main()"
    command = [TENSORBOARD.parent / "python", "-c", ours] if token else [TENSORBOARD]
    where = [f"--logdir={logdir}", f"--port={free_port()}"]
    return address_of(*command, *where, *options, GAIT_TENSORBOARD_TOKEN=token)


def tensorboard_by(*words, cwd) -> contextlib.AbstractContextManager[str]:
    """The address of the real TensorBoard that a program starts, which ends with the program's input."""
    (packages,) = (
        TENSORBOARD.parents[1].glob("lib/python*/site-packages") if TENSORBOARD.exists() else (HERE,)
    )
    return address_of(sys.executable, *words, cwd=cwd, PYTHONPATH=str(packages))


@contextlib.contextmanager
def address_of(*words, cwd=None, **environment: str) -> Iterator[str]:
    """The address that TensorBoard says when the program has started it, with its token if it has one."""
    if not TENSORBOARD.exists():
        pytest.skip("TensorBoard is not installed: make test does that")
    process = subprocess.Popen(
        [*map(str, words)],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        for line in process.stdout:
            if found := re.match(r"TensorBoard 2\.20\.0 at (http://\S+?)/? ", line):
                yield re.sub(r"//[^:]+", "//127.0.0.1", found[1])
                break
        else:
            pytest.fail("TensorBoard ended")
    finally:
        process.stdin.close()
        process.terminate()
        process.wait()
        process.stdout.close()


def profile_tab(address: str, what: str, **query) -> object:
    """What the Profile tab gets from its plugin."""
    address, _, token = address.partition("/?token=")
    url = f"{address}/data/plugin/profile/{what}?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return decoded(answer.read())


def decoded(content: bytes) -> object:
    """An answer of the plugin, which is compressed or not."""
    return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)


def runs_of_tensorboard(address: str) -> list[str]:
    listed = profile_tab(address, "runs")
    assert isinstance(listed, list)
    return sorted(listed)
