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


def devices_of(count: int) -> str:
    return f"{count} device" if count == 1 else f"{count} devices"


class _Visible(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes to whatever standard error is now."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        if not _is_set_up():  # else the program's own handlers have it
            self.setStream(sys.stderr)
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
        """A closed stream is no reason to end a program, nor to fill its output with tracebacks."""


def _is_set_up() -> bool:
    return bool(logging.getLogger().handlers)


def logger(name: str) -> logging.Logger:
    """A logger whose lines are seen in programs that never set up logging, and obey those that did."""
    made = logging.getLogger(name)
    if any(isinstance(handler, _Visible) for handler in made.handlers):
        return made

    def wanted(record: logging.LogRecord) -> bool:
        above = made.parent
        return not _is_set_up() or above is None or record.levelno >= above.getEffectiveLevel()

    made.setLevel(logging.INFO)
    made.addFilter(wanted)
    made.addHandler(_Visible())
    return made
