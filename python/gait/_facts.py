"""The facts about the program that a manifest holds, beside the capture itself."""

from __future__ import annotations

import functools
import os
import platform
import sys
from pathlib import Path
from typing import Any

from gait import _jax
from gait._native import __version__


@functools.cache
def git_commit(directory: str) -> str | None:
    """Of the repository that holds `directory`; read from its files, without starting git."""
    for folder in (Path(directory), *Path(directory).parents):
        git = folder / ".git"
        try:
            if git.is_file():  # a worktree: "gitdir: path"
                git = (folder / git.read_text().partition(":")[2].strip()).resolve()
            if not git.is_dir():
                continue
            head = (git / "HEAD").read_text().strip()
            if not head.startswith("ref:"):
                return head
            return _resolve(git, head[4:].strip())
        except OSError:
            return None
    return None


def _resolve(git: Path, ref: str) -> str | None:
    common = git
    if (git / "commondir").is_file():
        common = (git / (git / "commondir").read_text().strip()).resolve()
    for place in (git, common):
        if (place / ref).is_file():
            return (place / ref).read_text().strip()
    packed = common / "packed-refs"
    if packed.is_file():
        for line in packed.read_text().splitlines():
            commit, _, name = line.partition(" ")
            if name == ref:
                return commit
    return None


def devices() -> list[dict[str, Any]]:
    import jax

    return [{"id": d.id, "kind": d.device_kind, "platform": d.platform} for d in jax.local_devices()]


def default_platform() -> str:
    import jax

    return jax.local_devices()[0].platform


def flags() -> dict[str, str]:
    """What decides how the program is compiled beside its code. Variables and settings as they are, defaults too:
    which those are is JAX's matter, and another version's may differ."""
    variables = {name: os.environ.get(name, "") for name in ("XLA_FLAGS", "LIBTPU_INIT_ARGS")}
    return variables | {name: str(value) for name, value in _jax.settings().items()}


def _directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed under the program, which goes on
        return None


def program() -> dict[str, Any]:
    index, count = _jax.process()
    directory = _directory()
    return {
        "command": sys.argv,
        "directory": directory,
        "pid": os.getpid(),
        "process": {"index": index, "count": count},
        "versions": {"gait": __version__, "python": platform.python_version(), **_jax.versions()},
        "flags": flags(),
        "git_commit": git_commit(directory) if directory is not None else None,
        "devices": devices(),
    }
