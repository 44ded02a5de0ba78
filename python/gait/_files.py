"""Files of the package: written whole or not at all. The engine's writer makes them, as it makes captures."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gait import _native

_PIECE = 4 << 20


@contextmanager
def whole(path: str | os.PathLike[str], *, only_own: bool = False) -> Iterator[_native.FileWriter]:
    """A writer of `path`, which gets its name when the block is over without an error. OSError says what went wrong."""
    writer = _native.FileWriter(os.fsencode(path), only_own=only_own)
    try:
        yield writer
        writer.commit()
    finally:
        writer.discard()


def write(path: str | os.PathLike[str], text: str, *, only_own: bool = False) -> None:
    """`only_own`: nobody but this user can read it."""
    with whole(path, only_own=only_own) as writer:
        writer.write(text.encode())


def copy(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """With the times of the source."""
    with open(source, "rb") as content, whole(target) as writer:
        while piece := content.read(_PIECE):
            writer.write(piece)
    shutil.copystat(source, target)


def copy_folder(source: Path, target: Path) -> None:
    """Under another name first, beside `target`: a folder that has its name is whole, and on the disk. Files are linked
    where that is possible. OSError says what went wrong; nothing is left then."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # As FileWriter names files: gait list knows whose the folder is when this process is killed.
    partial = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(8)}.partial")
    partial.mkdir(mode=0o700)
    try:
        shutil.copytree(source, partial, copy_function=_link, dirs_exist_ok=True)
        for folder, _, _ in os.walk(partial):
            _synchronize_folder(folder)
        os.rename(partial, target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    _synchronize_folder(target.parent)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        return copy(source, target)
    return _synchronize(target)


def _synchronize(path: str | os.PathLike[str]) -> None:
    """What it holds is on the disk. Python repeats what a signal interrupts."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _synchronize_folder(path: str | os.PathLike[str]) -> None:
    """The names in it. Some file systems cannot do that."""
    try:
        _synchronize(path)
    except OSError as error:
        if error.errno == errno.EIO:
            raise
