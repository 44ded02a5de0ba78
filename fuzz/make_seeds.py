"""Writes fuzz/corpus/answers: real captures of each kind, cut to 20 to 200 KB. python fuzz/make_seeds.py"""

import gzip
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST = 200_000
GRAPHS = ("attention.", "branch_loops.", "split.")
# Field numbers of xplane.proto.
PLANES, LINES, EVENTS, EVENT_METADATA, STAT_METADATA = 1, 3, 4, 4, 5


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data: bytes):
    """Number, the content of what has a length (else None), and all its bytes."""
    at = 0
    while at < len(data):
        begin = at
        tag, at = varint(data, at)
        content = None
        match tag & 7:
            case 0:
                _, at = varint(data, at)
            case 1:
                at += 8
            case 5:
                at += 4
            case _:
                size, at = varint(data, at)
                content = data[at : at + size]
                at += size
        yield tag >> 3, content, data[begin:at]


def encoded(number: int, content: bytes) -> bytes:
    out = bytearray()
    for value in (number << 3 | 2, len(content)):
        while value >= 0x80:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    return bytes(out) + content


def cut_line(line: bytes, events: int) -> bytes:
    out, kept = bytearray(), 0
    for number, _, whole in fields(line):
        if number == EVENTS:
            kept += 1
            if kept > events:
                continue
        out += whole
    return bytes(out)


def cut_plane(plane: bytes, events: int, largest: int) -> bytes:
    """Without metadata that is large: programs, mostly."""
    out = bytearray()
    for number, content, whole in fields(plane):
        if number == LINES:
            out += encoded(LINES, cut_line(content, events))
        elif number not in (EVENT_METADATA, STAT_METADATA) or len(content) <= largest:
            out += whole
    return bytes(out)


def cut(space: bytes) -> bytes:
    """As much of it as fits: fewer events of each line, then smaller programs."""
    for events, largest in ((300, 60_000), (100, 30_000), (40, 10_000), (15, 3_000), (6, 600), (2, 200)):
        out = b"".join(
            encoded(PLANES, cut_plane(content, events, largest)) if number == PLANES else whole
            for number, content, whole in fields(space)
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
