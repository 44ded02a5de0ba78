"""make bench: gait and its peers side by side on the same captures, each in a process of its own.

    build/venv/bin/python bench/run.py [--repeat 3] [--only NAME] [CAPTURE...]

Without CAPTURE: first what capturing costs (annotations.py, capture.py), then the H200 capture `large`
(GAIT_BENCH_CAPTURE, or ../shared/profiles/h200/large), or one of its size where there is none, and a generated one of
5.1 million events. Verb by verb on the first of them. Time is wall time from start to exit, memory the process's peak
resident set; both are medians. Before each run the file has been read once, so that all find it cached.
"""

import argparse
import dataclasses
import lzma
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONG_S = 3  # what takes longer is not run again: its own noise no longer matters
BIN = ROOT / "build" / "bin"
WORK = ROOT / "build" / "bench"
PYTHON = ROOT / "build" / "venv" / "bin" / "python"
XPROF_PYTHON = ROOT / "build" / "bench-venv" / "bin" / "python"


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    command: Callable[[Path], list]
    writes_beside: bool = False  # needs a copy of the capture in a directory of its own


def xprof(tool: str) -> Callable[[Path], list]:
    return lambda file: [XPROF_PYTHON, ROOT / "bench" / "xprof_page.py", tool, file]


def verb(name: str) -> Callable[[Path], list]:
    return lambda file: [BIN / "gait", name, file, "--json"]


PEERS = (
    Peer("gait info", verb("info")),
    Peer("gait overview", verb("overview")),
    Peer("protobuf C++, arena", lambda file: [BIN / "protobuf_parse", file]),
    Peer("jax ProfileData", lambda file: [PYTHON, ROOT / "bench" / "profile_data.py", file]),
    Peer("XProf overview", xprof("overview_page"), True),
)

# Each verb and the page of XProf that answers the same question; none where XProf has no such page.
PAGES = {
    "overview": "overview_page",
    "steps": "input_pipeline_analyzer",
    "ops": "hlo_stats",
    "kernels": "kernel_stats",
    "idle": None,
    "path": None,
    "memory": "memory_profile",
    "transfers": None,
    "collectives": None,
    "compile": None,
    "roofline": "roofline_model",
    "host": "framework_op_stats",
}


@dataclasses.dataclass(frozen=True)
class Result:
    seconds: float
    peak_bytes: int


class PeerError(Exception):
    """A peer could not do it; the message is the end of its output."""


def measure(command: list) -> Result:
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            last = output.read().decode(errors="replace").strip().splitlines()[-1:]
            raise PeerError(f"exit {process.returncode} {' '.join(last)}"[:100])
        return Result(seconds, usage.ru_maxrss * 1024)


def warm(file: Path) -> None:
    # In pieces: a child's peak resident set starts from that of this process.
    with file.open("rb") as stream:
        while stream.read(1 << 20):
            pass


def run_peer(peer: Peer, capture: Path, repeat: int) -> Result:
    results: list[Result] = []
    while len(results) < repeat and sum(r.seconds for r in results) < LONG_S:
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            file = capture
            if peer.writes_beside:
                file = Path(scratch) / "plugins" / "profile" / "run" / capture.name
                file.parent.mkdir(parents=True)
                shutil.copyfile(capture, file)
            warm(file)
            results.append(measure(peer.command(file)))
    return Result(
        statistics.median(r.seconds for r in results),
        int(statistics.median(r.peak_bytes for r in results)),
    )


def unpacked(path: Path) -> Path:
    if path.suffix != ".xz":
        return path
    target = WORK / path.stem
    if not target.exists() or target.stat().st_mtime < path.stat().st_mtime:
        with lzma.open(path) as packed, target.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    return target


def default_captures() -> Iterator[tuple[str, Path]]:
    shared = ROOT.parent / "shared" / "profiles" / "h200" / "large" / "vm.xplane.pb.xz"
    large = Path(os.environ.get("GAIT_BENCH_CAPTURE", shared))
    if large.exists():
        yield "large", unpacked(large)
    else:
        print(
            f"large: there is no {large}, a generated one of its size instead; set GAIT_BENCH_CAPTURE to your own"
        )
        yield "as large", generated("as_large", 140)
    yield "generated", generated("generated", 1000)


def generated(name: str, steps: int) -> Path:
    file = WORK / f"{name}.xplane.pb"
    if not file.exists():
        partial = file.with_suffix(".partial")
        subprocess.run([BIN / "make_large", partial, str(steps)], check=True)
        partial.rename(file)
    return file


def count_events(capture: Path) -> int:
    output = subprocess.run([BIN / "protobuf_parse", capture], check=True, capture_output=True, text=True)
    return int(output.stdout.split()[0])


def compare(name: str, capture: Path, repeat: int, peers: list[Peer]) -> None:
    size = capture.stat().st_size
    events = count_events(capture)
    print(f"\n{name}: {size / 1e6:.1f} MB, {events} events, {size / events:.1f} bytes an event")
    print(
        f"  {'':<22}{'time':>9}{'ratio':>8}{'rate':>12}{'peak memory':>14}{'ratio':>8}{'bytes/event':>13}",
        flush=True,
    )
    base = None  # gait's own result; no ratios without it
    for peer in peers:
        try:
            result = run_peer(peer, capture, repeat)
        except PeerError as error:
            print(f"  {peer.name:<22}failed: {error}", flush=True)
            continue
        if peer is PEERS[0]:
            base = result
        time_ratio = f"{result.seconds / base.seconds:.1f}" if base else "-"
        memory_ratio = f"{result.peak_bytes / base.peak_bytes:.1f}" if base else "-"
        print(
            f"  {peer.name:<22}{result.seconds:>7.2f} s{time_ratio:>8}"
            f"{size / 1e6 / result.seconds:>7.0f} MB/s{result.peak_bytes / 1e6:>11.0f} MB"
            f"{memory_ratio:>8}{result.peak_bytes / events:>13.0f}",
            flush=True,
        )


def compare_verbs(name: str, capture: Path, repeat: int) -> None:
    """Each verb beside XProf's page; both from the file to the answer, in a process of their own."""
    print(f"\n{name}, verb by verb")
    print(
        f"  {'':<14}{'gait':>9}{'memory':>10}   {'XProf':<26}{'time':>8}{'ratio':>8}{'memory':>10}{'ratio':>8}"
    )
    for name_of_verb, tool in PAGES.items():
        ours = run_peer(Peer(name_of_verb, verb(name_of_verb)), capture, repeat)
        line = f"  {name_of_verb:<14}{ours.seconds:>7.2f} s{ours.peak_bytes / 1e6:>7.0f} MB   "
        if tool is None:
            print(line + "no such page", flush=True)
            continue
        try:
            theirs = run_peer(Peer(tool, xprof(tool), True), capture, 1)
        except PeerError as error:
            print(line + f"{tool:<26}failed: {error}", flush=True)
            continue
        print(
            line + f"{tool:<26}{theirs.seconds:>6.2f} s{theirs.seconds / ours.seconds:>8.1f}"
            f"{theirs.peak_bytes / 1e6:>7.0f} MB{theirs.peak_bytes / ours.peak_bytes:>8.1f}",
            flush=True,
        )
    done = subprocess.run([BIN / "analyses", capture], check=True, capture_output=True, text=True)
    print(done.stdout, end="", flush=True)


def run_part(seconds: float, *command: object) -> None:
    """Prints what a part of the benchmark says; one that hangs or fails is not the end of the others."""
    try:
        status = subprocess.run([str(part) for part in command], check=False, timeout=seconds).returncode
        if status != 0:
            print(f"  failed with {status}")
    except subprocess.TimeoutExpired:
        print(f"  gave up after {seconds:.0f} s")
    except OSError as error:
        print(f"  not measured: {error}")


def pages(name: str, capture: Path, *options: str) -> None:
    """What a person waits for in a browser: gait's pages beside XProf's and the Perfetto UI."""
    node = ROOT / "build" / "node" / "bin" / "node"
    print(f"\n{name}, pages in Chromium", flush=True)
    run_part(1500, node if node.exists() else "node", ROOT / "bench" / "viewer.mjs", capture, *options)


def pictures(captures: list[tuple[str, Path]]) -> None:
    """Tiles of the timeline: of the captures, and of tracks made for it."""
    for i, (name, capture) in enumerate(captures):
        # The others give up at five million events, and what opens that many is not opened again.
        pages(name, capture, *(() if i == 0 else ("--only", "gait", "--rounds", "1")))
        print(f"\n{name}, pictures of its timeline", flush=True)
        run_part(300, BIN / "timeline", capture)
        run_part(300, PYTHON, ROOT / "bench" / "view.py", capture)
    name, capture = captures[-1]
    print(f"\n{name}, thirty clients at once, slow readers among them", flush=True)
    run_part(300, PYTHON, ROOT / "bench" / "clients.py", capture)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for events in (5_000_000, 100_000_000):
        if events * 100 > memory:
            print(f"\n{events} events made here need more memory than this machine has")
            continue
        print(f"\n{events} events made here, pictures of their timeline", flush=True)
        run_part(600, BIN / "timeline", "--made", events)


def main() -> int:
    parser = argparse.ArgumentParser(description="gait and its peers side by side")
    parser.add_argument("captures", nargs="*", type=Path, metavar="CAPTURE")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the median counts")
    parser.add_argument("--only", help="only peers whose name contains this, after gait itself")
    parser.add_argument("--pages", action="store_true", help="only the pages in the browser")
    args = parser.parse_args()

    WORK.mkdir(parents=True, exist_ok=True)
    if args.pages:
        for name, capture in [(path.name, unpacked(path)) for path in args.captures] or default_captures():
            pages(name, capture)
        return 0
    peers = [p for p in PEERS if p is PEERS[0] or not args.only or args.only.lower() in p.name.lower()]
    if not args.captures and not args.only:
        for script, *options in (("annotations.py",), ("capture.py", "--repeat", "1", "--steps", "5", "200")):
            subprocess.run([PYTHON, ROOT / "bench" / script, *options], check=False)
            print()
    captures = [(path.name, unpacked(path)) for path in args.captures] or list(default_captures())
    print(f"{os.cpu_count()} cores, median of {args.repeat}, ratios to gait")
    for name, capture in captures:
        compare(name, capture, args.repeat, peers)
    if not args.only:
        compare_verbs(*captures[0], args.repeat)
    if not args.only:
        pictures(captures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
