"""Files of the package: written whole or not at all. The engine's writer makes them, as it makes captures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from gait import _native


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[_native.FileWriter]:
    """A writer of `path`, which gets its name when the block is over without an error. OSError says what went wrong."""
    writer = _native.FileWriter(os.fsencode(path))
    try:
        yield writer
        writer.commit()
    finally:
        writer.discard()


def write(path: str | os.PathLike[str], text: str) -> None:
    with whole(path) as writer:
        writer.write(text.encode())
