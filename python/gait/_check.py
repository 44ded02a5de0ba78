"""gait.check: limits on a run, held or broken, as `gait check` has them."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from gait._capture import Capture
from gait._messages import OptionError
from gait._run import Run, load
from gait._share import share_of
from gait._verbs import path_of

RunLike = str | os.PathLike[str] | Run | Capture

_COMPARISONS = ("<=", ">=", "==", "!=", "<", ">")


@dataclasses.dataclass(frozen=True)
class Limit:
    """One limit of a check."""

    limit: str  # as it was given
    metric: str
    value: float | None  # None: not known, which breaks the limit
    unit: str  # "ps", "percent", "bytes" or ""
    held: bool
    reason: str  # why it is broken; empty where it is held
    evidence: str  # what is behind it, from `gait doctor` and `gait diff`; empty where nothing is known


class Check:
    """What gait.check found. True when every limit is held."""

    def __init__(self, report: Any):
        self.report = report
        self.limits = [
            Limit(
                row["limit"],
                row["metric"],
                row["value"],
                row["unit"],
                row["result"] == "passed",
                row["reason"] or "",
                row["evidence"] or "",
            )
            for row in report["checks"]
        ]

    @property
    def held(self) -> bool:
        return not self.report.found

    @property
    def broken(self) -> list[Limit]:
        return [limit for limit in self.limits if not limit.held]

    @property
    def metrics(self) -> dict[str, float | None]:
        """Every metric of the run: times in picoseconds, sizes in bytes, shares in percent."""
        return {row["metric"]: row["value"] for row in self.report["metrics"]}

    @property
    def evidence(self) -> list[str]:
        """What is behind the broken limits, each thing once."""
        return list(dict.fromkeys(limit.evidence for limit in self.broken if limit.evidence))

    @property
    def reason(self) -> str:
        """The broken limits and the evidence, a line each; empty when all are held."""
        lines = [f"{limit.limit}: {limit.reason}" for limit in self.broken]
        return "\n".join([self.report.answer, *lines, *self.evidence]) if lines else ""

    def __bool__(self) -> bool:
        return self.held

    def __repr__(self) -> str:
        return self.reason or self.report.answer

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


class CheckFailed(AssertionError):  # noqa: N818  # a failed check is not an error of the program
    """A limit is broken. `check` has the whole result."""

    def __init__(self, check: Check):
        super().__init__(check.reason)
        self.check = check


def check(
    run: RunLike,
    *limits: str,
    baseline: RunLike | None = None,
    max_slower: str | float | None = None,
    config: str | os.PathLike[str] | None = None,
    junit: str | os.PathLike[str] | None = None,
    raises: bool = True,
    top: int | None = None,
    sort: str | None = None,
    name: str | None = None,
    min: str | None = None,  # as on the command line
    max_memory: str | None = None,
    **metrics: str,
) -> Check:
    """Holds a run to limits and raises CheckFailed, an AssertionError with the reason, where one is broken.

        gait.check("runs", "step_time < 12ms", "device_busy > 80%", compiles_after_warmup="== 0")
        gait.check(capture, baseline="runs/main", max_slower="3%")

    Limits and options are those of `gait check`, `gait.toml` in the current folder included. With raises=False
    the result comes back either way. top=, sort=, name= and min= choose among the limits that are listed; all are
    held against the run.
    """
    words = [*limits, *(_named(metric, limit) for metric, limit in metrics.items())]
    share = None if max_slower is None else f"{100 * share_of(max_slower):g}%"
    options = {"max_slower": share, "config": config, "junit": junit, "max_memory": max_memory}
    options |= {"top": top, "sort": sort, "name": name, "min": min}
    if baseline is not None:
        options["baseline"] = path_of(baseline)
    found = Check(_loaded(run).report("check", *words, **options))
    if raises and not found.held:
        raise CheckFailed(found)
    return found


def _named(metric: str, limit: str) -> str:
    if not isinstance(limit, str) or not limit.lstrip().startswith(_COMPARISONS):
        raise OptionError(f"{metric}= is a comparison and a value, such as {metric}='< 12ms', not {limit!r}.")
    return f"{metric} {limit.strip()}"


def _loaded(run: RunLike) -> Run:
    return run if isinstance(run, Run) else load(path_of(run))
