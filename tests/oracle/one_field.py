"""Captures with one field of one event changed: valid wire, another meaning."""

import dataclasses
import random
from collections.abc import Callable, Iterator

from wire import number, pieces, read_varint, text

# Fields of XSpace, XPlane, XLine, XEvent and XStat.
PLANES, LINES, EVENTS, EVENT_STATS = 1, 3, 4, 4
NAME, OFFSET, DURATION, OCCURRENCES = 1, 2, 3, 5
STAT_NAME, STAT_NUMBERS = 1, (3, 4, 7)
LIMITS = (0, 1, -1, 2**31, 2**62, 2**63 - 1, -(2**63))


@dataclasses.dataclass
class Change:
    what: str
    capture: bytes
    reach: int  # ps that the event got longer or shorter by


@dataclasses.dataclass
class Place:
    plane: int
    line: int
    event: int
    content: bytes


def places(space: bytes) -> Iterator[Place]:
    planes = (content for field, _, content in pieces(space) if field == PLANES)
    for p, plane in enumerate(planes):
        lines = (content for field, _, content in pieces(plane) if field == LINES)
        for li, line in enumerate(lines):
            events = (content for field, _, content in pieces(line) if field == EVENTS)
            for e, event in enumerate(events):
                yield Place(p, li, e, event)


def nth(message: bytes, field: int, index: int, change: Callable[[bytes], bytes]) -> bytes:
    out, at = bytearray(), -1
    for found, whole, content in pieces(message):
        at += found == field
        out += text(field, change(content)) if found == field and at == index else whole
    return bytes(out)


def put(space: bytes, place: Place, event: bytes) -> bytes:
    def of_line(line: bytes) -> bytes:
        return nth(line, EVENTS, place.event, lambda _: event)

    return nth(space, PLANES, place.plane, lambda plane: nth(plane, LINES, place.line, of_line))


def last(message: bytes, field: int) -> int:
    value = 0
    for found, whole, content in pieces(message):
        if found == field and content is None:
            _, at = read_varint(whole, 0)
            value, _ = read_varint(whole, at)
    return value


def changed_stat(event: bytes, rng: random.Random) -> bytes | None:
    """Another value or another name for one of the event's arguments."""
    count = sum(field == EVENT_STATS for field, _, _ in pieces(event))
    if count == 0:
        return None
    field = rng.choice((STAT_NAME, *STAT_NUMBERS))
    value = rng.choice((*LIMITS, rng.randrange(100)))
    return nth(event, EVENT_STATS, rng.randrange(count), lambda stat: stat + number(field, value))


def make(space: bytes, places: list[Place], rng: random.Random) -> Change:
    place = rng.choice(places)
    event = place.content
    duration = last(event, DURATION)
    where = f"plane {place.plane}, line {place.line}, event {place.event}"
    field = rng.choice(("name", "offset", "duration", "duration", "occurrences", "argument"))
    match field:
        case "argument":
            changed = changed_stat(event, rng)
            if changed is None:
                return make(space, places, rng)
            return Change(f"{where}: an argument", put(space, place, changed), 0)
        case "name":
            value = rng.choice((last(rng.choice(places).content, NAME), *LIMITS))
            changed = event + number(NAME, value)
        case "offset":
            own = last(event, OFFSET)
            value = rng.choice(
                (own + rng.randrange(10**9), last(rng.choice(places).content, OFFSET), *LIMITS)
            )
            changed = event + number(OFFSET, value)
        case "duration":
            value = rng.choice((duration // 2, duration * 2, duration * 100, 0, *LIMITS))
            changed = event + number(DURATION, value)
        case _:
            value = rng.choice((0, 1, 1000, *LIMITS))
            changed = event + number(OCCURRENCES, value)
    reach = abs(value - duration) if field == "duration" else 0
    return Change(f"{where}: {field} {value}", put(space, place, changed), reach)
