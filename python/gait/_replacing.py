"""JAX's own functions with others in their place, while gait records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Replacing:
    """From add() until remove()."""

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any, Any]] = []  # where, name, JAX's own, ours
        self.removed = False

    def replace(self, owner: Any, name: str, made_of: Callable[[Any], Any]) -> None:
        own = getattr(owner, name)
        ours = made_of(own)
        self._replaced.append((owner, name, own, ours))  # first: Ctrl-C may come between the two
        setattr(owner, name, ours)

    def remove(self) -> None:
        """What the program has put in our place stays. May be repeated."""
        self.removed = True  # for whoever has kept one of ours
        for owner, name, own, ours in self._replaced:
            if getattr(owner, name) is ours:
                setattr(owner, name, own)
