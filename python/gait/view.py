"""python -m gait.view: looks at captures with TensorBoard, Perfetto or gait; lists and unpacks them.

python -m gait.view --profile-dir runs --list-only
python -m gait.view --profile-dir runs --ui perfetto
python -m gait.view --profile-dir runs --extract
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import html
import os
import signal
import subprocess
import sys
import tempfile
import threading
import webbrowser
import zlib
from collections.abc import Iterator
from pathlib import Path

from gait import _files, _guard
from gait._messages import GaitError, complain
from gait._open import latest, open_run
from gait.compat._lines import tell
from gait.compat._viewers import PerfettoServer, has_tensorboard, start_tensorboard, tensorboard_problem

PLACES = ("profiles", "runs", "profiler_traces", "tensorboard_logs")  # looked at without --profile-dir
PATTERNS = ("*.trace.json.gz", "*.trace.json", "perfetto_trace.json.gz", "perfetto_trace.json", "*.xplane.pb")


def find_traces(directory: Path) -> list[Path]:
    """All files of captures below a folder, the newest first."""
    found = {path for pattern in PATTERNS for path in directory.rglob(pattern) if path.is_file()}
    return sorted(found, key=lambda path: (-path.stat().st_mtime, str(path)))


def _directory(given: str | None) -> Path:
    for place in [given] if given else [os.environ.get("XAX_PROFILE_DIR"), *PLACES]:
        if place and Path(place).expanduser().is_dir():
            return Path(place).expanduser()
    if given:
        raise GaitError(f"there is no folder {given}.")
    raise GaitError(f"no captures found in {', '.join(PLACES)}: say where with --profile-dir.")


def _list(directory: Path, traces: list[Path]) -> None:
    tell(f"Traces in {directory}:")
    for number, path in enumerate(traces, 1):
        size = path.stat().st_size
        note = "  empty: the capture went wrong, make it again" if size == 0 else ""
        tell(f"{number:3}. {path.relative_to(directory)} ({size / 1024:.1f} KB){note}")


def _extract(traces: list[Path]) -> bool:
    """Unpacks each .json.gz beside itself; False when one is damaged."""
    whole = True
    for path in traces:
        if path.suffix != ".gz":
            continue
        target = path.with_suffix("")
        try:
            with gzip.open(path) as packed, _files.whole(target) as unpacked:
                while chunk := packed.read(1 << 20):
                    unpacked.write(chunk)
            # As old as the packed one: which trace is the newest stays as it was.
            status = path.stat()
            if target.is_file():  # a device keeps its own
                os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
            tell(f"Extracted: {target}")
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            tell(f"{path} is damaged: {error}")
            whole = False
        except OSError as error:
            tell(f"{path} could not be extracted: {error}")
            whole = False
    return whole


class NoTraceError(GaitError):
    """There is nothing for Perfetto."""


def _perfetto(traces: list[Path]) -> PerfettoServer:
    for path in traces:
        if ".json" in path.name and path.stat().st_size > 0:
            server = PerfettoServer(path)
            tell(f"Perfetto: {server.link}")
            tell(
                "The trace stays on this machine; the page's Share button would upload it. Ctrl-C ends this."
            )
            return server
    raise NoTraceError("no trace.json.gz here: captures have one that were made with perfetto=True.")


def _start(args: argparse.Namespace, directory: Path) -> subprocess.Popen[bytes]:
    """TensorBoard where it is wanted and there is one, else gait's own viewer: on the same port and address."""
    if args.ui != "gait":
        problem = tensorboard_problem()
        if problem is not None:
            tell(problem)
        if has_tensorboard():
            token = "" if args.no_token else _guard.new_secret()
            return start_tensorboard(directory, args.port, args.bind_all, args.host, token=token)
    options = [f"--port={args.port}"] if args.port is not None else []
    options += ["--bind=0.0.0.0"] if args.bind_all else [f"--bind={args.host}"] if args.host else []
    options += ["--no-token"] if args.no_token else []
    return open_run(latest(directory), *options, own_session=False)


def _show(args: argparse.Namespace, directory: Path, traces: list[Path]) -> int:
    if args.no_token and (args.bind_all or not _guard.is_loopback(args.host or "localhost")):
        raise GaitError("--no-token is for this machine alone: everyone who reaches the address could look.")
    viewer: subprocess.Popen[bytes] | None = None
    with contextlib.ExitStack() as ending:
        try:
            if args.ui != "perfetto":
                viewer = _start(args, directory)
                ending.callback(_end, viewer)
            try:
                server = _perfetto(traces) if args.ui in ("perfetto", "both") else None
            except NoTraceError as error:
                if viewer is None:
                    raise
                tell(f"Perfetto: {error}")
                server = None
            if server is not None:
                ending.callback(server.close)
                if any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")):
                    ending.enter_context(_opened(server.link))  # not where it would be one in the terminal
                _serve(server, viewer)
            return viewer.wait() if viewer is not None else 0
        except KeyboardInterrupt:
            return 0


def _serve(server: PerfettoServer, viewer: subprocess.Popen[bytes] | None) -> None:
    """Until an interrupt, or until the viewer ends: it may have found its port taken."""
    if viewer is not None:
        ends = viewer
        threading.Thread(target=lambda: (ends.wait(), server.shutdown()), daemon=True).start()
    server.serve()


def _end(viewer: subprocess.Popen[bytes]) -> None:
    viewer.terminate()
    viewer.wait()


@contextlib.contextmanager
def _opened(link: str) -> Iterator[None]:
    """In the browser, by a page that only this user can read: everybody sees the arguments of a browser."""
    with tempfile.TemporaryDirectory(prefix="gait-view-") as folder:
        page = Path(folder) / "open.html"
        refresh = f'<meta http-equiv="refresh" content="0; url={html.escape(link)}">'
        text = f'<!doctype html><meta charset="utf-8"><title>gait</title>{refresh}\n'
        _files.write(page, text, only_own=True)
        webbrowser.open(page.as_uri())
        yield


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Whoever ends this, or its terminal, ends what it has started too. Only the main thread may have handlers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ends = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) is not signal.SIG_IGN]
    before = [signal.signal(one, lambda number, _: sys.exit(128 + number)) for one in ends]
    try:
        yield
    finally:
        for one, handler in zip(ends, before, strict=True):
            signal.signal(one, handler)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number up to 65535, not {text!r:.20}")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m gait.view", description=__doc__, formatter_class=raw)
    parser.add_argument("--profile-dir", help="the log directory; without it the usual names are looked for")
    parser.add_argument(
        "--port", type=_port, help="of TensorBoard (the first free one from 6006 on), or of gait's viewer"
    )
    parser.add_argument("--host", metavar="ADDRESS", help="on which the viewer listens")
    parser.add_argument("--bind-all", action="store_true", help="for other machines too")
    parser.add_argument("--no-token", action="store_true", help="let everyone on this machine look")
    parser.add_argument(
        "--ui", choices=("tensorboard", "perfetto", "both", "gait"), help="both, if not given"
    )
    parser.add_argument("--extract", action="store_true", help="unpack the traces beside themselves")
    parser.add_argument("--list-only", action="store_true", help="list the traces and end")
    args = parser.parse_args(arguments)
    try:
        directory = _directory(args.profile_dir)
        traces = find_traces(directory)
        _list(directory, traces)
        if not traces:
            tell("none; a capture ends with a line that says where it is")
            return 1
        if args.extract and not _extract(traces):
            return 1
        if args.list_only or (args.extract and args.ui is None):
            return 0
        args.ui = args.ui or "both"
        with _ended_by_signals():
            return _show(args, directory, traces)
    except GaitError as error:
        complain(str(error))
        return 1


if __name__ == "__main__":
    sys.exit(main())
