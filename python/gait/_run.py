"""gait.load: a run in memory, with every verb of the command as a method."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gait import _native
from gait._messages import OptionError
from gait._open import open_run
from gait._tables import Report
from gait._verbs import ABOUT_A_RUN, answer, method


class Run:
    """A capture that was read. Each verb of the `gait` command is a method with the command's options:

        run = gait.load("runs")
        run.overview()
        run.ops(by="layer", steps="3:8").to_pandas()
        run.kernels()["kernels"]

    Options are named as on the command line, with _ for -. `run.verbs` lists the methods.
    """

    def __init__(self, native: _native.LoadedRun, spec: str):
        self._native = native
        self._spec = spec

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def path(self) -> str:
        return self._native.path

    @property
    def hosts(self) -> list[str]:
        return self._native.hosts

    @property
    def events(self) -> int:
        return self._native.events

    @property
    def verbs(self) -> list[str]:
        """The names of all that can be asked about it."""
        return list(ABOUT_A_RUN)

    def report(self, verb: str, *arguments: Any, **options: Any) -> Report:
        """What `gait VERB RUN ARGUMENTS --OPTIONS` says; run.ops(top=5) is run.report("ops", top=5)."""
        if verb not in ABOUT_A_RUN and verb in _native.verbs():
            raise OptionError(f"{verb!r} says nothing about one run.")
        return answer(self._native.answer, verb, [str(argument) for argument in arguments], options)

    def __getattr__(self, verb: str) -> Any:
        raise AttributeError(f"a run has no {verb!r}. Its verbs are: {', '.join(ABOUT_A_RUN)}")

    def open(self) -> Any:
        """In the viewer, in a process of its own."""
        return open_run(self.path)

    def write_report(self, path: str | os.PathLike[str] = "report.html") -> Path:
        """The run as one file for others: an HTML page that needs nothing else, or Markdown (.md)."""
        _native.answer("report", [self.path, "--output", os.fspath(path)])
        return Path(path)

    def __repr__(self) -> str:
        hosts = f", {len(self.hosts)} hosts" if len(self.hosts) > 1 else ""
        return f"<gait.Run {self.path}: {self.events} events{hosts}>"

    def _repr_html_(self) -> str:
        return self.report("overview")._repr_html_()


for _verb in ABOUT_A_RUN:
    # Where a run is has the name of a verb.
    setattr(Run, "critical_path" if _verb == "path" else _verb, method(_verb))


def load(run: str | os.PathLike[str] = "runs") -> Run:
    """Reads a run: a file, a run's folder, a log directory (its newest run), DIR@2, or a name."""
    spec = os.fspath(run)
    return Run(_native.load(spec), spec)
