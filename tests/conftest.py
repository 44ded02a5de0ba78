"""The captures that the tests read, and the command under test."""

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# A script that starts the tests with `&` has them ignore Ctrl-C, and they would hand that on to what they run.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
# Captures that are not part of the project; tested where they are present.
MORE = Path(os.environ.get("GAIT_CAPTURES", ROOT.parent / "shared" / "profiles"))

MADE = {"made: 1 CPU device": 1, "made: 8 CPU devices": 8}


def stored_captures() -> dict[str, Path]:
    """Each capture once: those of the project are also among the others, there not packed. Not those of launches:
    blocks and work without end are what the definitions here leave out. Case files have them, and test_blocks and
    test_unfinished.
    """
    found = {}
    seen = set()
    for directory in (DATA, MORE):
        for path in sorted(directory.glob("**/*.xplane.pb")) + sorted(directory.glob("**/*.xplane.pb.gz")):
            if path.parent.name == "launches":
                continue
            content = path.read_bytes()
            digest = hashlib.sha256(gzip.decompress(content) if path.suffix == ".gz" else content).digest()
            if digest not in seen:
                seen.add(digest)
                found[str(path.relative_to(directory))] = path
    return found


STORED = stored_captures()


# What tests/data holds of the H200: an oracle that compares GPU captures compares at least these.
H200_CAPTURES = ("eager", "gpt", "gpt_without_graphs", "recompile", "starved", "transfers")


def skip_other(capture: Path, must: tuple[str, ...], reason: str) -> None:
    """An oracle cannot compare this capture: skips, and fails for those of tests/data that it must compare."""
    name = capture.name.removesuffix(".gz").removesuffix(".xplane.pb")
    if capture.is_relative_to(DATA) and name in must:
        pytest.fail(f"{name} must be compared: {reason}")
    pytest.skip(reason)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "capture" in metafunc.fixturenames:
        metafunc.parametrize("capture", [*STORED, *MADE], indirect=True, scope="session")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Side by side (-n --dist loadgroup): all tests of a capture, whose reading takes seconds, else those of a file."""
    for item in items:
        of_capture = getattr(item, "callspec", None) and item.callspec.params.get("capture")
        item.add_marker(pytest.mark.xdist_group(of_capture or str(item.path)))


@pytest.fixture(scope="session")
def made_captures(tmp_path_factory):
    """Makes a CPU capture of a program beside the oracles when it is first asked for."""
    made: dict[tuple, Path] = {}

    def make(devices: int, program: str = "collectives.py", *more: str) -> Path:
        key = program, devices, *more
        if key not in made:
            directory = tmp_path_factory.mktemp(f"cpu{devices}")
            path = ROOT / "tests" / "oracle" / program
            subprocess.run([sys.executable, path, directory, str(devices), *more], check=True, timeout=300)
            (made[key],) = directory.glob("**/*.xplane.pb")
        return made[key]

    return make


@pytest.fixture(scope="session")
def capture(request, made_captures) -> Path:
    if request.param in MADE:
        return made_captures(MADE[request.param])
    return STORED[request.param]


class Gait:
    """The command under test."""

    def __init__(self, program: Path):
        self.program = program

    def run(self, *args, stdin: bytes | None = None) -> subprocess.CompletedProcess:
        command = [str(self.program), *map(str, args)]
        return subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)

    def document(self, *args) -> dict:
        """What a verb prints with --json; it must succeed."""
        done = self.run(*args, "--json")
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    def rows(self, document: dict, table: str) -> list[dict]:
        content = document["tables"][table]
        names = [column["name"] for column in content["columns"]]
        return [dict(zip(names, row, strict=True)) for row in content["rows"]]


@pytest.fixture(scope="session")
def gait() -> Gait:
    program = Path(os.environ.get("GAIT", ROOT / "build" / "bin" / "gait"))
    assert program.exists(), f"{program} is missing: make build"
    return Gait(program)
