"""Captures with impossible times: real ones of which stamps, offsets or durations are replaced, byte by byte."""

from collections.abc import Callable, Iterator

from xplane import varint

# Fields of XSpace, XPlane, XLine and XEvent.
PLANES, LINES, STAMP, EVENTS, OFFSET, DURATION = 1, 3, 3, 4, 2, 3


def encoded(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field: int, value: int) -> bytes:
    return encoded(field << 3) + encoded(value)


def fields(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Number, the whole field, and what is in it where it has a length."""
    at = 0
    while at < len(message):
        begin = at
        key, at = varint(message, at)
        content = b""
        if key & 7 == 2:
            size, at = varint(message, at)
            content = message[at : at + size]
            at += size
        elif key & 7 == 0:
            _, at = varint(message, at)
        else:
            at += 8 if key & 7 == 1 else 4
        yield key >> 3, message[begin:at], content


def replaced(message: bytes, field: int, change: Callable[[bytes], bytes]) -> bytes:
    """The message with every such field changed; what follows counts, so changes may be put behind."""
    out = bytearray()
    for number, whole, content in fields(message):
        if number == field:
            content = change(content)
            whole = encoded(field << 3 | 2) + encoded(len(content)) + content
        out += whole
    return bytes(out)


def of_lines(change: Callable[[bytes], bytes], every: int = 2) -> Callable[[bytes], bytes]:
    """A change of every second line that has events, the first one too."""

    def changed(space: bytes) -> bytes:
        count = -1

        def line(message: bytes) -> bytes:
            nonlocal count
            if not any(number == EVENTS for number, _, _ in fields(message)):
                return message
            count += 1
            return change(message) if count % every == 0 else message

        return replaced(space, PLANES, lambda plane: replaced(plane, LINES, line))

    return changed


def of_events(field: int, value: int, every: int = 7) -> Callable[[bytes], bytes]:
    def line(message: bytes) -> bytes:
        count = -1

        def event(content: bytes) -> bytes:
            nonlocal count
            count += 1
            return content + integer(field, value) if count % every == 0 else content

        return replaced(message, EVENTS, event)

    return of_lines(line, every=1)


MUTATIONS: dict[str, Callable[[bytes], bytes]] = {
    "stamps of -1 ns": of_lines(lambda line: line + integer(STAMP, -1)),
    "stamps far below 0": of_lines(lambda line: line + integer(STAMP, -(2**63))),
    "stamps of Unix time": of_lines(lambda line: line + integer(STAMP, 10**17 + 1)),
    "stamps that wrap": of_lines(lambda line: line + integer(STAMP, 2**63 - 1)),
    "offsets below 0": of_events(OFFSET, -(10**9)),
    "offsets that wrap": of_events(OFFSET, -(2**63)),
    "durations below 0": of_events(DURATION, -1),
    "durations that wrap": of_events(DURATION, 2**63 - 1),
}
