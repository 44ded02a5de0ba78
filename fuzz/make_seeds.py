"""Writes fuzz/corpus/answers: real captures of each kind, cut to 20 to 200 KB. python fuzz/make_seeds.py"""

import gzip
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))
from wire import pieces, text  # noqa: E402

MOST = 200_000
GRAPHS = ("attention.", "branch_loops.", "split.")
# Field numbers of xplane.proto.
PLANES, LINES, EVENTS, EVENT_METADATA, STAT_METADATA = 1, 3, 4, 4, 5


def cut_line(line: bytes, events: int) -> bytes:
    out, kept = bytearray(), 0
    for field, whole, _ in pieces(line):
        if field == EVENTS:
            kept += 1
            if kept > events:
                continue
        out += whole
    return bytes(out)


def cut_plane(plane: bytes, events: int, largest: int) -> bytes:
    """Without metadata that is large: programs, mostly."""
    out = bytearray()
    for field, whole, content in pieces(plane):
        if field == LINES:
            out += text(LINES, cut_line(content, events))
        elif field not in (EVENT_METADATA, STAT_METADATA) or len(content) <= largest:
            out += whole
    return bytes(out)


def cut(space: bytes) -> bytes:
    """As much of it as fits: fewer events of each line, then smaller programs."""
    for events, largest in ((300, 60_000), (100, 30_000), (40, 10_000), (15, 3_000), (6, 600), (2, 200)):
        out = b"".join(
            text(PLANES, cut_plane(content, events, largest)) if field == PLANES else whole
            for field, whole, content in pieces(space)
        )
        if len(out) <= MOST:
            return out
    raise SystemExit("a capture cannot be cut that far")


def main() -> None:
    folder = ROOT / "fuzz" / "corpus" / "answers"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "tests" / "data").glob("*/*.xplane.pb.gz")):
        if path.parent.name == "graphs" and not path.name.startswith(GRAPHS):
            continue  # they are much alike
        seed = cut(gzip.decompress(path.read_bytes()))
        name = f"{path.parent.name}_{path.name.removesuffix('.xplane.pb.gz')}"
        (folder / name).write_bytes(seed)
        print(f"{name}: {len(seed) >> 10} KB")


if __name__ == "__main__":
    main()
