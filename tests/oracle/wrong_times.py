"""Captures with impossible times: real ones of which stamps, offsets or durations are replaced, byte by byte."""

from collections.abc import Callable

from wire import number, pieces, text

# Fields of XSpace, XPlane, XLine and XEvent.
PLANES, LINES, STAMP, EVENTS, OFFSET, DURATION = 1, 3, 3, 4, 2, 3


def replaced(message: bytes, field: int, change: Callable[[bytes], bytes]) -> bytes:
    """The message with every such field changed; what follows counts, so changes may be put behind."""
    out = bytearray()
    for found, whole, content in pieces(message):
        out += text(field, change(content)) if found == field else whole
    return bytes(out)


def of_lines(change: Callable[[bytes], bytes], every: int = 2) -> Callable[[bytes], bytes]:
    """A change of every second line that has events, the first one too."""

    def changed(space: bytes) -> bytes:
        count = -1

        def line(message: bytes) -> bytes:
            nonlocal count
            if not any(field == EVENTS for field, _, _ in pieces(message)):
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
            return content + number(field, value) if count % every == 0 else content

        return replaced(message, EVENTS, event)

    return of_lines(line, every=1)


MUTATIONS: dict[str, Callable[[bytes], bytes]] = {
    "stamps of -1 ns": of_lines(lambda line: line + number(STAMP, -1)),
    "stamps far below 0": of_lines(lambda line: line + number(STAMP, -(2**63))),
    "stamps of Unix time": of_lines(lambda line: line + number(STAMP, 10**17 + 1)),
    "stamps that wrap": of_lines(lambda line: line + number(STAMP, 2**63 - 1)),
    "offsets below 0": of_events(OFFSET, -(10**9)),
    "offsets that wrap": of_events(OFFSET, -(2**63)),
    "durations below 0": of_events(DURATION, -1),
    "durations that wrap": of_events(DURATION, 2**63 - 1),
}
