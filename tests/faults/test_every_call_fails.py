"""Every system call of every writer is made to fail, one after the other: afterwards the old file is there, or the new
one, and never a part of it; what failed is said."""

import errno
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gait._command import command

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build" / "tests" / "libgait_failing_calls.so"
CAPTURE = ROOT / "tests" / "data" / "cpu" / "same_names.xplane.pb.gz"
OLD = b"what was there before\n"
HOW = [errno.ENOSPC, errno.EIO, errno.EINTR, errno.EMFILE, errno.EACCES, "short", "kill"]
MOST_CALLS = 200  # a writer that needs more has no end


def attempt(words, folder: Path, call: int, how) -> tuple[bool, subprocess.CompletedProcess]:
    """Whether the call came, and how the program ended."""
    mark = folder.parent / f"{folder.name}.mark"
    mark.unlink(missing_ok=True)
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={
            **os.environ,
            "LD_PRELOAD": str(LIBRARY),
            "GAIT_FAIL_UNDER": str(folder),
            "GAIT_FAIL_CALL": str(call),
            "GAIT_FAIL_HOW": str(how),
            "GAIT_FAIL_MARK": str(mark),
        },
    )
    return mark.exists(), done


def failures(words, folder: Path, how, prepare):
    """Runs the program with each of its calls failing, until none is left to fail: call, how the program ended."""
    assert LIBRARY.exists(), "tools/build.sh release gait_failing_calls makes it; make test does"
    quiet = 0
    for call in range(1, MOST_CALLS):
        prepare()
        came, done = attempt(words, folder, call, how)
        if came:
            quiet = 0
            yield call, done
            continue
        assert done.returncode == 0, done.stderr
        quiet += 1
        if how != "short" or quiet > 10:  # calls that do not write have nothing to shorten
            return
    pytest.fail(f"{words[1]} made more than {MOST_CALLS} calls")


def is_whole(path: Path, found: bytes, usual: bytes) -> bool:
    """The new file. A manifest is another one when it has to tell of a loss."""
    return bool(json.loads(found)) if path.name == "gait.json" else found == usual


def python(text: str, *words):
    return [sys.executable, "-c", text, *words]


JOB = """
import sys, gzip
from gait import _native
content = gzip.open(sys.argv[1]).read()
job = _native.CaptureJob(content, path=sys.argv[2], manifest_path=sys.argv[3], capture="{}", uncaptured="{}",
                         perfetto_path=sys.argv[4], beside=[(sys.argv[5], b"profile")], quiet=True)
assert job.wait(60)
if job.error: sys.exit(": ".join(job.error))
if job.losses: sys.exit(str(job.losses))
"""
RESULT = (
    "import sys; from gait.compat.supergrad._results import write; write(sys.argv[1], {'a': list(range(9))})"
)
SCHEMA = (
    "import sys; from gait.compat.efficientids import save_profiling_json as s; s({'a': [1, 2]}, sys.argv[1])"
)


def writers(folder: Path):
    """What writes, and the files that it writes."""
    gait = command()
    one = folder / "out"
    names = ["a.xplane.pb", "gait.json", "a.trace.json.gz", "a.memory.prof"]
    files = [folder / name for name in names]
    return {
        "report": ([gait, "report", CAPTURE, "--format", "html", "-o", one], [one]),
        "unified": ([gait, "report", CAPTURE, "--format", "unified", "-o", one], [one]),
        "junit": ([gait, "check", CAPTURE, "step_time < 3600s", "--junit", one], [one]),
        "capture": (python(JOB, CAPTURE, *files), files),
        "result": (python(RESULT, one), [one]),
        "schema": (python(SCHEMA, one), [one]),
        "extract": (
            [sys.executable, "-m", "gait.view", "--profile-dir", folder, "--extract"],
            [folder / "a.trace.json"],
        ),
    }


# One of each language in all ways; the others only have to be such a writer.
CASES = [(name, how) for name in ("report", "capture") for how in HOW]
CASES += [(name, errno.ENOSPC) for name in ("unified", "junit", "result", "schema", "extract")]


@pytest.mark.parametrize(
    ("name", "how"), CASES, ids=[f"{name}-{errno.errorcode.get(how, how)}" for name, how in CASES]
)
def test_every_call_fails(tmp_path, name, how):
    folder = tmp_path / "out"
    words, files = writers(folder)[name]

    def prepare():
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        if name == "extract":
            (folder / "a.trace.json.gz").write_bytes(gzip.compress(b'{"traceEvents": []}' * 99))
        for path in files:
            path.write_bytes(OLD)

    prepare()
    came, done = attempt(words, folder, 0, how)
    assert done.returncode == 0 and not came, done.stderr
    new = [path.read_bytes() for path in files]
    assert OLD not in new
    count = 0
    for call, done in failures(words, folder, how, prepare):
        count += 1
        where = f"call {call}: {done.returncode} {done.stderr}"
        for path, content in zip(files, new, strict=True):
            found = path.read_bytes()
            assert found == OLD or is_whole(path, found, content), where
        left = [path.name for path in folder.iterdir() if path.name.endswith(".partial")]
        if how == "kill":
            assert done.returncode == -9
            assert all(path.startswith(".") for path in left)  # as gait list knows them
            continue
        # A name that cannot even be removed stays; anything else does not.
        assert not left or how not in ("short", errno.EINTR), where
        assert done.returncode in (0, 1, 3), where
        if done.returncode == 0:
            assert all(path.read_bytes() != OLD for path in files), where
        else:
            assert os.strerror(how) in done.stderr + done.stdout, where
    assert count >= (1 if how == "short" else 8)
