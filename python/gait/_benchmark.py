"""The time of a function, after a warm-up, with a wait for the result, and with the noise."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gait._inflight import InFlight
from gait._messages import OptionError
from gait._share import share_of


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """What gait.benchmark_function gives. All times in seconds."""

    name: str
    times: tuple[float, ...]  # of each call, in order
    first_seconds: float  # the first call of all: tracing and compiling included
    donates: bool = False  # the function consumed its arguments; each call got copies

    @property
    def mean(self) -> float:
        return statistics.fmean(self.times)

    @property
    def std(self) -> float:
        """Of the sample; 0 for a single call."""
        return statistics.stdev(self.times) if len(self.times) > 1 else 0.0

    @property
    def min(self) -> float:
        return min(self.times)

    @property
    def max(self) -> float:
        return max(self.times)

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    def percentile(self, percent: float) -> float:
        """The nearest rank."""
        rank = math.ceil(percent / 100 * len(self.times))
        return sorted(self.times)[min(max(rank, 1), len(self.times)) - 1]

    @property
    def interval(self) -> tuple[float, float]:
        """In which the median lies with a confidence of 95 %.

        From the ranks of the sorted times, so that nothing is assumed of how they are distributed. With fewer
        than six calls no such interval exists; it is all there is then, from the fastest to the slowest.
        """
        ordered = sorted(self.times)
        n = len(ordered)
        # The largest k with P(fewer than k of n are below the median) <= 2.5 %.
        tail, k, term = 0.0, 0, 0.5**n if n < 1000 else 0.0
        if n >= 1000:  # the normal approximation; the exact sum underflows
            k = int(n / 2 - 1.96 * math.sqrt(n) / 2)
        else:
            while k < n // 2 and tail + term <= 0.025:
                tail += term
                term = term * (n - k) / (k + 1)
                k += 1
        low = max(k - 1, 0)
        return ordered[low], ordered[n - 1 - low]

    def speedup_over(self, other: Benchmark | float) -> float:
        """How many times faster this one's median is."""
        return _median(other) / self.median

    def assert_faster_than(self, other: Benchmark | float, factor: float = 1.0) -> None:
        """AssertionError unless this is faster than `other`, a benchmark or seconds, `factor` times, beyond noise."""
        slowest = self.interval[1] * factor
        fastest = other.interval[0] if isinstance(other, Benchmark) else other
        if slowest < fastest:
            return
        what = f"{other.name}, {_text(other)}" if isinstance(other, Benchmark) else _seconds(other)
        times = "" if factor == 1 else f"{factor:g} times "
        if self.median * factor < _median(other):
            raise AssertionError(
                f"{self.name}, {_text(self)}, is not surely {times}faster than {what}: within the noise. "
                "More iterations would tell."
            )
        raise AssertionError(f"{self.name}, {_text(self)}, is not {times}faster than {what}.")

    def assert_below(self, limit: float | str) -> None:
        """AssertionError unless the median is surely below `limit`: seconds, or a text such as "12ms"."""
        seconds = _parse_seconds(limit)
        if self.interval[1] < seconds:
            return
        doubt = ": within the noise. More iterations would tell." if self.median < seconds else "."
        raise AssertionError(f"{self.name}, {_text(self)}, is not surely below {_seconds(seconds)}{doubt}")

    def assert_not_slower_than(self, other: Benchmark | float, share: str | float = 0.03) -> None:
        """AssertionError when this is slower than `other` by more than the share ("3%", 0.03), beyond noise."""
        share = share_of(share)
        slowest = other.interval[1] if isinstance(other, Benchmark) else other
        if self.interval[0] <= slowest * (1 + share):
            return
        what = f"{other.name}, {_text(other)}" if isinstance(other, Benchmark) else _seconds(other)
        slower = 100 * (self.median / _median(other) - 1)
        raise AssertionError(f"{self.name}, {_text(self)}, is {slower:.3g} % slower than {what}.")

    def assert_steady(self, share: str | float = 0.1) -> None:
        """AssertionError when the median is known to no better than the share."""
        share = share_of(share)
        low, high = self.interval
        if high - low <= share * self.median:
            return
        raise AssertionError(
            f"{self.name}, {_text(self)}, is not known to {100 * share:.3g} %: too much noise."
        )

    def to_dict(self) -> dict[str, Any]:
        low, high = self.interval
        return {
            "name": self.name,
            "iterations": len(self.times),
            "mean_s": self.mean,
            "std_s": self.std,
            "min_s": self.min,
            "max_s": self.max,
            "median_s": self.median,
            "interval_s": [low, high],
            "first_s": self.first_seconds,
        }

    def __repr__(self) -> str:
        return (
            f"{self.name}: {_text(self)}, min {_seconds(self.min)}, max {_seconds(self.max)}, "
            f"{len(self.times)} calls; the first took {_seconds(self.first_seconds)}"
        )


@dataclasses.dataclass(frozen=True, repr=False)
class Timed(Benchmark):
    """What gait.time_function gives: a benchmark that kept its result. Also the pair (result, seconds)."""

    result: Any = dataclasses.field(default=None, compare=False)  # of the last call

    @property
    def seconds(self) -> float:
        """Of the call, of several their median."""
        return self.median

    def __iter__(self) -> Iterator[Any]:
        return iter((self.result, self.seconds))


def _median(other: Benchmark | float) -> float:
    return other.median if isinstance(other, Benchmark) else other


def _parse_seconds(limit: float | str) -> float:
    if isinstance(limit, int | float):
        return float(limit)
    for unit, scale in (("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        number = limit.strip().removesuffix(unit)
        if number != limit.strip():
            try:
                return float(number) * scale
            except ValueError:
                break
    raise OptionError(f"a time is a number of seconds or a text such as '12ms', not {limit!r}.")


def _seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def _text(benchmark: Benchmark) -> str:
    low, high = benchmark.interval
    return f"{_seconds(benchmark.median)} ({_seconds(low)} to {_seconds(high)})"


class _Arguments:
    """Arguments of repeated calls: as given, or fresh copies for a function that donates them."""

    def __init__(self, args: Sequence[Any], kwargs: dict[str, Any]):
        import jax

        self._jax = jax
        self._given = (tuple(args), kwargs)
        # Copied before the first call, which may consume them; let go after it, when it has not.
        self._kept: Any = self._copy(self._given)
        self.donated = False

    def _copy(self, tree: Any) -> Any:
        jax = self._jax

        def copy(leaf: Any) -> Any:
            return jax.numpy.copy(leaf) if isinstance(leaf, jax.Array) else leaf

        return jax.block_until_ready(jax.tree.map(copy, tree))

    def next(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return self._copy(self._kept) if self.donated else self._given

    def after_first_call(self) -> None:
        leaves = self._jax.tree.leaves(self._given)
        self.donated = any(isinstance(leaf, self._jax.Array) and leaf.is_deleted() for leaf in leaves)
        if not self.donated:
            self._kept = None


WRITING_SECONDS = 60.0  # that captures made before may take until they are written: that disturbs, too


class _Wait:
    """Waits until a call is over; the first call shows what there is to wait for: its result, all arrays where an
    object may hold some, or also launches whose results the function dropped."""

    PLAIN = (int, float, complex, str, bytes)

    def __init__(self) -> None:
        from gait._capture import recorder

        self._sees_all: bool | None = None
        self._launches: InFlight | None = None
        if recorder.capture is None and recorder.wait(WRITING_SECONDS):  # a capture sees launches for itself
            self._launches = InFlight()
            self._launches.add()

    def __call__(self, result: Any) -> Any:
        import jax
        import numpy as np

        jax.block_until_ready(result)
        first = self._sees_all is None
        if first:
            # An object that is no tree to JAX may hold arrays: then all there are have to be ready.
            seen = (jax.Array, np.ndarray, np.generic, *self.PLAIN)
            self._sees_all = all(isinstance(leaf, seen) for leaf in jax.tree.leaves(result))
        if not self._sees_all:
            jax.block_until_ready(jax.live_arrays())
        if self._launches is not None:
            if first and self._launches.idle:
                self.end()  # seeing launches takes time
            else:
                self._launches.block()
        return result

    def end(self) -> None:
        if self._launches is not None:
            self._launches.forget()
        self._launches = None


def _refuse_unrun(function: Callable[..., Any]) -> None:
    """OptionError for a function whose call runs nothing of it."""
    called = function
    while isinstance(called, functools.partial):
        called = called.func
    for is_such, what in (
        (
            inspect.iscoroutinefunction,
            "a coroutine function: give one that awaits it, lambda: asyncio.run(f())",
        ),
        (inspect.isgeneratorfunction, "a generator function: give one that exhausts it, lambda: list(f())"),
        (inspect.isasyncgenfunction, "an asynchronous generator function: give one that exhausts it"),
    ):
        if is_such(called):
            raise OptionError(f"a call of this function runs nothing: it is {what}.")


def refuse_clash(function: Callable[..., Any], names: Sequence[str], kwargs: dict[str, Any]) -> None:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    clash = [name for name in names if name in parameters and name not in kwargs]
    if clash:
        raise OptionError(
            f"{clash[0]}= is an argument of the function and of the benchmark. "
            f"Bind the function's: functools.partial(function, {clash[0]}=...)."
        )


def benchmark_function(
    function: Callable[..., Any],
    *args: Any,
    iterations: int = 100,
    warmup: int = 10,
    name: str | None = None,
    **kwargs: Any,
) -> Benchmark:
    """Calls `function(*args, **kwargs)` again and again and measures each call until its result is computed, and what
    else it launched where the first call leaves launches at work: a function that drops its results is waited for.

    Warm-up calls are waited for too, so that none of their work is counted. Results may be any tree of arrays.
    Arguments that the function donates are copied for each call, outside the measured time.
    """
    refuse_clash(function, ("iterations", "warmup", "name"), kwargs)
    return _measure(function, args, kwargs, iterations, warmup, name)[0]


def time_function(function: Callable[..., Any], *args: Any, iterations: int = 1, **kwargs: Any) -> Timed:
    """(result, seconds) of one call, after one that warmed up; both waited for, as gait.benchmark_function does.

    With `iterations=` of several calls: `seconds` is their median, and what is given has the statistics of a
    benchmark, its interval and its assertions.
    """
    refuse_clash(function, ("iterations",), kwargs)
    measured, result = _measure(function, args, kwargs, iterations, warmup=1)
    return Timed(measured.name, measured.times, measured.first_seconds, measured.donates, result)


def _measure(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    iterations: int,
    warmup: int,
    name: str | None = None,
) -> tuple[Benchmark, Any]:
    """And the result of the last call."""
    if iterations < 1 or warmup < 0:
        raise OptionError(f"iterations= is at least 1 and warmup= at least 0, not {iterations} and {warmup}.")
    _refuse_unrun(function)
    arguments = _Arguments(args, kwargs)
    wait = _Wait()
    result = None

    def measure() -> float:
        nonlocal result
        result = None  # two at once may be more than a device holds
        positional, keywords = arguments.next()
        begin = time.perf_counter()
        result = wait(function(*positional, **keywords))
        return time.perf_counter() - begin

    try:
        first = measure()
        arguments.after_first_call()
        for _ in range(warmup - 1):
            measure()
        times = () if warmup > 0 else (first,)
        times += tuple(measure() for _ in range(iterations - len(times)))
    finally:
        wait.end()
    label = name or getattr(function, "__name__", None) or type(function).__name__
    return Benchmark(label, times, first, arguments.donated), result
