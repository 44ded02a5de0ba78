"""The protobuf wire format by hand, for what makes and changes files. Needs nothing but Python."""

from collections.abc import Iterator


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: "bytes | str") -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The value and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value & (1 << 64) - 1, at


def pieces(message: bytes) -> Iterator[tuple[int, bytes, bytes | None]]:
    """Of each field its number, all its bytes, and the content of one that has a length (else None)."""
    at = 0
    while at < len(message):
        begin = at
        key, at = read_varint(message, at)
        content = None
        match key & 7:
            case 0:
                _, at = read_varint(message, at)
            case 2:
                size, at = read_varint(message, at)
                content = message[at : at + size]
                at += size
            case kind:
                at += {1: 8, 5: 4}[kind]
        yield key >> 3, message[begin:at], content
