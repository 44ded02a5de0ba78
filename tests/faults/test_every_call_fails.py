"""Every system call of every writer is made to fail, one after the other: afterwards the old file is there, or the new
one, and never a part of it; what failed is said."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from writers import OLD, Ended, Writer, files_below, is_partial, is_whole, prepare, writer_called

HOW = [errno.ENOSPC, errno.EIO, errno.EINTR, errno.EMFILE, errno.EACCES, "short", "kill"]
MOST_CALLS = 200  # a writer that needs more has no end
EVERYTHING = os.environ.get("GAIT_FAULTS") == "0"  # every fault of the slow ones too: make test-long

QUICK = (
    "unified",
    "junit",
    "capture",
    "result",
    "schema",
    "extract",
    "token",
    "memory_profile",
    "benchmarks",
)
QUICK += ("adopt", "adopt_from_elsewhere")
SLOW = ("report", "scale", "gait_capture", "gait_capture_helper")


@pytest.mark.parametrize("name", QUICK + SLOW)
def test_every_call_fails(tmp_path, name):
    folder = tmp_path / "out"
    with writer_called(name, folder) as writer:
        prepare(writer, folder)
        ended = writer.attempt(0, errno.EIO)
        assert ended.status == 0 and not ended.came, ended.said
        usual = files_below(folder)
        assert OLD not in usual.values()
        assert all(any(folder.glob(pattern)) for pattern in writer.files), usual.keys()
        for how in HOW if EVERYTHING or name in QUICK else [errno.ENOSPC]:
            count = 0
            for call, ended in failures(writer, folder, how):
                count += 1
                where = f"{errno.errorcode.get(how, how)} of call {call}: {ended.status} {ended.said}"
                check(writer, folder, how, usual, ended, where)
            assert count >= fewest(name, how), how


def fewest(name: str, how) -> int:
    """Calls that there are to fail."""
    if how == "short":
        return 0 if name == "adopt" else 1  # which links
    return 5


def failures(writer: Writer, folder: Path, how) -> Iterator[tuple[int, Ended]]:
    """With each of its calls failing, until none is left to fail."""
    quiet = 0
    for call in range(1, MOST_CALLS):
        prepare(writer, folder)
        ended = writer.attempt(call, how)
        if ended.came:
            quiet = 0
            yield call, ended
            continue
        assert ended.status == 0, ended.said
        quiet += 1
        if how != "short" or quiet > 10:  # calls that do not write have nothing to shorten
            return
    pytest.fail(f"it made more than {MOST_CALLS} calls")


def check(writer: Writer, folder: Path, how, usual: dict[str, bytes], ended: Ended, where: str) -> None:
    """What may be there after one failure."""
    found = files_below(folder)
    for name, content in found.items():
        if name in writer.inputs:
            assert content == writer.inputs[name], where
        elif not is_partial(name):
            whole = content == OLD and name in writer.old
            assert whole or is_whole(name, content, usual), f"{name} {where}"
    assert all(name in found for name in writer.old), where
    if how == "kill":
        return
    left = [name for name in found if is_partial(name)]
    # A name that cannot even be removed stays; anything else does not.
    assert not left or how not in ("short", errno.EINTR), where
    assert ended.status in (0, 1, 3), where
    if ended.status == 0:
        assert all(any(folder.glob(pattern)) for pattern in writer.files), where
        assert OLD not in found.values(), where
    else:
        assert os.strerror(how) in ended.said, where
