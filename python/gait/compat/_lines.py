"""Lines that the programs' users know: printed, or logged where the original logged."""

from __future__ import annotations

import logging
import sys

RULE = "=" * 60


def tell(line: str = "") -> None:
    """Prints a line. A program must not end because its output cannot show a symbol, or is closed."""
    try:
        print(line, flush=True)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        print(line.encode(encoding, "replace").decode(encoding), flush=True)
    except (OSError, ValueError, AttributeError):
        return


class _Visible(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes to whatever standard error is now, and only while the program has set up no logging of its own."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        if not logging.getLogger().handlers:
            self.setStream(sys.stderr)
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
        """A closed stream is no reason to end a program, nor to fill its output with tracebacks."""


def logger(name: str) -> logging.Logger:
    """A logger whose lines are seen also in programs that never configured logging."""
    made = logging.getLogger(name)
    if not any(isinstance(handler, _Visible) for handler in made.handlers):
        made.addHandler(_Visible())
        if made.level == logging.NOTSET:
            made.setLevel(logging.INFO)
    return made
