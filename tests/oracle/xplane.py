"""A slow and obvious reading of XSpace files: the reference that gait is compared with.

Reads the protobuf wire format by hand, from the table of fields in docs/formats/xplane.md. Shares nothing
with the C++ reader and keeps no promise about speed.
"""

import dataclasses
import functools
import struct
from collections.abc import Iterator

Value = int | float | str | bytes | None  # None: a reference to an id that the file does not define


@dataclasses.dataclass
class Event:
    begin: int  # ps, the line's time stamp included
    duration: int  # ps
    name: str
    shared_args: list[tuple[str, Value]]  # of the event's metadata: all events of the name have them
    own_args: list[tuple[str, Value]]
    occurrences: int  # of an aggregated event, which has no time; else 0

    @property
    def args(self) -> list[tuple[str, Value]]:
        return self.shared_args + self.own_args


@dataclasses.dataclass
class Line:
    id: int
    name: str
    events: list[Event]


@dataclasses.dataclass
class Plane:
    id: int
    name: str
    lines: list[Line]
    args: list[tuple[str, Value]]
    programs: list[str]  # names of the event metadata that carry an HLO proto


@dataclasses.dataclass(eq=False)  # what is computed of one is kept by the one it is of
class Space:
    planes: list[Plane]
    errors: list[str]
    warnings: list[str]
    hostnames: list[str]


def varint(data: bytes, at: int) -> tuple[int, int]:
    if data[at] < 0x80:  # as most of them are
        return data[at], at + 1
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, varint or bytes) of a message; fixed-width fields come as their bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
            yield tag >> 3, value
            continue
        if wire == 2:
            size, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}[wire]
        yield tag >> 3, data[at : at + size]
        at += size


def written(message: list[tuple[int, int | bytes]]) -> bytes:
    """The message of such fields, none of them of fixed width."""

    def number(value: int) -> bytes:
        return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + number(value >> 7)

    return b"".join(
        number(field << 3) + number(value)
        if isinstance(value, int)
        else number(field << 3 | 2) + number(len(value)) + value
        for field, value in message
    )


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def text(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")


def scalars(data: bytes) -> dict:
    """The last value of each field: right for fields that are not repeated."""
    return dict(fields(data))


def repeated(data: bytes, number: int) -> list[bytes]:
    return [value for field, value in fields(data) if field == number]


def table(data: bytes, number: int) -> dict[int, bytes]:
    """A map<int64, message> field as id -> message bytes."""
    entries = (scalars(entry) for entry in repeated(data, number))
    return {signed(entry.get(1, 0)): entry.get(2, b"") for entry in entries}


def read_stat(data: bytes, stat_names: dict[int, str]) -> tuple[str, Value]:
    key, value = "", 0
    for field, raw in fields(data):
        match field:
            case 1:
                key = stat_names.get(signed(raw), "")
            case 2:
                value = struct.unpack("<d", raw)[0]
            case 3:
                value = raw
            case 4:
                value = signed(raw)
            case 5:
                value = text(raw)
            case 6:
                value = raw
            case 7:
                value = stat_names.get(signed(raw))
    return key, value


def read_shared_args(metadata: bytes, stat_names: dict[int, str]) -> list[tuple[str, Value]]:
    """Arguments of all events of one metadata entry; gait shows its further fields as arguments too."""
    args: list[tuple[str, Value]] = []
    for field, raw in fields(metadata):
        if field == 3 and raw:
            args.append(("metadata", raw))
        elif field == 4 and raw:
            args.append(("display_name", text(raw)))
        elif field == 5:
            args.append(read_stat(raw, stat_names))
    return args


def read_plane(data: bytes) -> Plane:
    head = scalars(data)
    stat_names = {i: text(scalars(m).get(2, b"")) for i, m in table(data, 5).items()}
    metadata = table(data, 4)
    names = {i: text(scalars(m).get(2, b"")) for i, m in metadata.items()}
    metadata_args = {i: read_shared_args(m, stat_names) for i, m in metadata.items()}

    def read_event(raw: bytes, stamp_ps: int) -> Event:
        content = list(fields(raw))
        head = dict(content)
        kind = signed(head.get(1, 0))
        return Event(
            begin=stamp_ps + signed(head.get(2, 0)),
            duration=signed(head.get(3, 0)),
            name=names.get(kind, ""),
            shared_args=metadata_args.get(kind, []),
            own_args=[read_stat(stat, stat_names) for field, stat in content if field == 4],
            occurrences=signed(head.get(5, 0)),
        )

    def read_line(raw: bytes) -> Line:
        head = scalars(raw)
        stamp_ps = signed(head.get(3, 0)) * 1000
        name = text(head.get(2, b""))
        return Line(signed(head.get(1, 0)), name, [read_event(e, stamp_ps) for e in repeated(raw, 4)])

    return Plane(
        id=signed(head.get(1, 0)),
        name=text(head.get(2, b"")),
        lines=[read_line(line) for line in repeated(data, 3)],
        args=[read_stat(s, stat_names) for s in repeated(data, 6)],
        programs=[
            names[i] for i, args in metadata_args.items() if any(key == "Hlo Proto" for key, _ in args)
        ],
    )


@functools.lru_cache(maxsize=2)  # tests of one capture follow each other, some with what they make of it
def read(data: bytes) -> Space:
    return Space(
        planes=[read_plane(plane) for plane in repeated(data, 1)],
        errors=[text(s) for s in repeated(data, 2)],
        warnings=[text(s) for s in repeated(data, 3)],
        hostnames=[text(s) for s in repeated(data, 4)],
    )
