"""The writers of gait: each makes its files in a folder, in a process with failing_calls.cc preloaded."""

import contextlib
import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gait._command import command

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "capture"))
import hostile  # noqa: E402

LIBRARY = ROOT / "build" / "tests" / "libgait_failing_calls.so"
CAPTURE = ROOT / "tests" / "data" / "cpu" / "same_names.xplane.pb.gz"
ONE_DEVICE = CAPTURE.with_name("one_device.xplane.pb.gz")
OLD = b"what was there before\n"


@dataclass
class Ended:
    came: bool  # whether the call that was to fail came
    status: int
    said: str


Attempt = Callable[[int, object], Ended]


@dataclass
class Writer:
    """`attempt` writes into the folder, in which `call` fails. `files` are patterns of what it has written then."""

    attempt: Attempt
    files: list[str]
    old: list[str] = field(default_factory=list)  # that are there before
    inputs: dict[str, bytes] = field(default_factory=dict)


def environment(folder: Path, mark: Path) -> dict[str, str]:
    assert LIBRARY.exists(), "tools/build.sh release gait_failing_calls makes it; make test does"
    return {
        **os.environ,
        "LD_PRELOAD": str(LIBRARY),
        "GAIT_FAIL_UNDER": str(folder),
        "GAIT_FAIL_MARK": str(mark),
    }


def running(folder: Path, *words, program: str | None = None) -> Attempt:
    """A command; of several programs that it runs, the calls of one."""
    mark = folder.parent / "mark"

    def attempt(call, how) -> Ended:
        mark.unlink(missing_ok=True)
        fails = {"GAIT_FAIL_CALL": str(call), "GAIT_FAIL_HOW": str(how)}
        if program:
            fails["GAIT_FAIL_IN"] = program
        done = subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=ROOT,
            env=environment(folder, mark) | fails,
        )
        return Ended(mark.exists(), done.returncode, done.stderr + done.stdout)

    return attempt


@contextlib.contextmanager
def in_python(folder: Path, name: str, *words) -> Iterator[Attempt]:
    """A writer of python_writers.py."""
    mark = folder.parent / "mark"
    program = [sys.executable, Path(__file__).with_name("python_writers.py"), name, *words]
    with subprocess.Popen(
        [str(word) for word in program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(folder, mark),
    ) as process:

        def attempt(call, how) -> Ended:
            mark.unlink(missing_ok=True)
            process.stdin.write(json.dumps({"call": call, "how": how, "folder": str(folder)}) + "\n")
            process.stdin.flush()
            done = json.loads(process.stdout.readline())
            return Ended(mark.exists(), done["status"], done["said"])

        yield attempt
        process.stdin.close()


@contextlib.contextmanager
def gait_capture(folder: Path, program: str) -> Iterator[Attempt]:
    """Of a program whose server has a capture at once: the helper writes it, the command the manifest."""
    if not (command().resolve().parent / "gait-capture").exists():
        pytest.skip("gait was built without gRPC")
    content = gzip.decompress(CAPTURE.read_bytes())
    with hostile.Server({hostile.FILE: hostile.sends(hostile.reply(content))}) as server:
        words = [command(), "capture", server.port, "--duration", "1ms", "-o", folder]
        yield running(folder, *words, program=program)


def gait_scale(folder: Path) -> Attempt:
    """Of a program whose capture is there at once."""
    program = 'run=${GAIT#dir=}/plugins/profile/run; mkdir -p "$run"; cp "$0" "$run/vm.xplane.pb.gz"'
    words = ["scale", "--dir", folder, "--devices", "1", "--", "sh", "-c", program, ONE_DEVICE]
    return running(folder, command(), *words, program="gait")


@contextlib.contextmanager
def writer_called(name: str, folder: Path) -> Iterator[Writer]:
    gait = command()
    one = folder / "out"
    run = folder.parent / "elsewhere" / "run"
    with contextlib.ExitStack() as stack:

        def python(*words):
            return stack.enter_context(in_python(folder, *words))

        def capture(program):
            return stack.enter_context(gait_capture(folder, program))

        match name:
            case "report":
                words = (gait, "report", CAPTURE, "--format", "html", "-o", one)
                yield Writer(running(folder, *words), ["out"], ["out"])
            case "unified":
                words = (gait, "report", CAPTURE, "--format", "unified", "-o", one)
                yield Writer(running(folder, *words), ["out"], ["out"])
            case "junit":
                words = (gait, "check", CAPTURE, "step_time < 3600s", "--junit", one)
                yield Writer(running(folder, *words), ["out"], ["out"])
            case "scale":
                yield Writer(gait_scale(folder), ["1gpu_*/*.json"])
            case "gait_capture":
                files = ["plugins/profile/*/*.xplane.pb", "plugins/profile/*/gait.json"]
                yield Writer(capture("gait"), files)
            case "gait_capture_helper":
                yield Writer(capture("gait-capture"), ["plugins/profile/*/*.xplane.pb"])
            case "capture":
                files = ["a.xplane.pb", "gait.json", "a.trace.json.gz", "a.memory.prof"]
                yield Writer(python("capture", CAPTURE), files, files)
            case "extract":
                packed = gzip.compress(b'{"traceEvents": []}' * 99)
                yield Writer(
                    python("extract"), ["a.trace.json"], ["a.trace.json"], {"a.trace.json.gz": packed}
                )
            case "token":
                yield Writer(python("token"), ["gait/9012.token"], ["gait/9012.token"])
            case "schema":
                yield Writer(python("schema"), ["made/out"])
            case "memory_profile":
                yield Writer(python("memory_profile"), ["made/out.prof"])
            case "adopt" | "adopt_from_elsewhere":
                run.mkdir(parents=True)
                for file in ("a.xplane.pb", "b.xplane.pb"):
                    (run / file).write_bytes(b"capture" * 99)
                yield Writer(python(name, run), ["plugins/profile/run/*.xplane.pb"])
            case _:
                yield Writer(python(name), ["out"], ["out"])


def prepare(writer: Writer, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in {**dict.fromkeys(writer.old, OLD), **writer.inputs}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def is_partial(name: str) -> bool:
    """As gait list knows what a writer that was killed has left."""
    return any(part.startswith(".") and part.endswith(".partial") for part in Path(name).parts)


def is_whole(name: str, content: bytes, usual: dict[str, bytes]) -> bool:
    """JSON of some writers tells of times and losses."""
    kinds = {Path(known).suffix: value for known, value in usual.items()}
    if (name.endswith(".json") and name not in usual) or Path(name).name == "gait.json":
        return bool(json.loads(content))
    return content == usual.get(name, kinds.get(Path(name).suffix))
