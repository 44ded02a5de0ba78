"""The writers of the Python package, each in a process of its own for every call that fails.

python_writers.py NAME ARGUMENT..., with failing_calls.cc preloaded. For each line of standard input, a JSON object of
`call`, `how` and `folder`, a process is made in which that call fails; the answer is a line: how it ended, what it said
"""

import contextlib
import ctypes
import gzip
import json
import os
import sys
import tempfile
import types
from pathlib import Path

LIBRARY = ctypes.CDLL(None)


def capture(source, folder):
    from gait import _native

    path, manifest, perfetto, memory = (
        str(folder / name) for name in ("a.xplane.pb", "gait.json", "a.trace.json.gz", "a.memory.prof")
    )
    job = _native.CaptureJob(
        gzip.decompress(Path(source).read_bytes()),
        path=path,
        manifest_path=manifest,
        capture="{}",
        uncaptured="{}",
        perfetto_path=perfetto,
        beside=[(memory, b"profile")],
        quiet=True,
    )
    assert job.wait(60)
    if job.error:
        sys.exit(": ".join(job.error))
    if job.losses:
        sys.exit(str(job.losses))


def result(folder):
    from gait.compat.supergrad._results import write

    write(folder / "out", {"a": list(range(9))})


def schema(folder):
    from gait.compat.efficientids import save_profiling_json

    save_profiling_json({"a": [1, 2]}, folder / "made" / "out")


def extract(folder):
    from gait.view import main

    sys.argv = ["gait.view", "--profile-dir", str(folder), "--extract"]
    sys.exit(main())


def token(folder):
    from gait import _serve

    _serve._write_token(folder / "gait" / "9012.token", "sesame")


def memory_profile(folder):
    from gait import memory_profile

    profiler = types.SimpleNamespace(device_memory_profile=lambda: b"profile" * 99)
    sys.modules["jax"] = types.SimpleNamespace(
        profiler=profiler, process_index=lambda: 0, process_count=lambda: 1
    )
    made = memory_profile(folder / "made", "out")
    if made.error:
        sys.exit(made.error)


def benchmarks(folder):
    from gait import pytest_plugin

    measured = types.SimpleNamespace(to_dict=lambda: {"name": "f"}, times=[0.1] * 99)
    config = types.SimpleNamespace(
        getoption=lambda name: folder / "out", stash={pytest_plugin._RESULTS: {"test_f": measured}}
    )
    pytest_plugin.pytest_sessionfinish(types.SimpleNamespace(config=config))


def adopt(source, folder):
    from gait import _launch_adopt

    if not _launch_adopt.adopt([Path(source)], folder):
        sys.exit(1)


def adopt_from_elsewhere(source, folder):
    """From another file system."""

    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    os.link = refuse
    adopt(source, folder)


WRITERS = (capture, result, schema, extract, token, memory_profile, benchmarks, adopt, adopt_from_elsewhere)


def run(writer, words, call, how, folder, said) -> int:
    """In the process whose call fails: its exit status."""
    for descriptor in (1, 2):
        os.dup2(said, descriptor)
    name = os.fsencode(folder)  # the library keeps where it is
    LIBRARY.gait_fail_call(ctypes.c_long(call), str(how).encode(), name)
    try:
        writer(*words, Path(folder))
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code)
        return end.code if isinstance(end.code, int) else 1 if end.code else 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}")
        return 1
    return 0


def attempt(writer, words, call, how, folder) -> dict:
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(BaseException):
                status = run(writer, words, call, how, folder, said.fileno())
                sys.stdout.flush()
            LIBRARY.gait_fail_call(ctypes.c_long(0), b"", None)
            os._exit(status)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        return {"status": os.waitstatus_to_exitcode(status), "said": said.read().decode(errors="replace")}


def main() -> None:
    writer = next(one for one in WRITERS if one.__name__ == sys.argv[1])
    import gait  # noqa: F401  # once, for all of them
    from gait import _files, _launch_adopt, _native, _serve, pytest_plugin, view  # noqa: F401

    for line in sys.stdin:
        print(json.dumps(attempt(writer, sys.argv[2:], **json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
