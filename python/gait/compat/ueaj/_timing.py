"""time_jax_function and benchmark_function: milliseconds, on gait's measuring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gait import _benchmark


def _call(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """`function` with its arguments as two trees: none of its names can be one of the benchmark's own."""

    def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return function(*args, **kwargs)

    return call


def time_jax_function(func: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, float]:
    """(result, milliseconds) of one call, after one that warmed up and was waited for."""
    result, seconds = _benchmark.time_function(_call(func), args, kwargs)
    return result, seconds * 1e3


def benchmark_function(
    func: Callable[..., Any], *args: Any, num_iterations: int = 100, warmup: int = 10, **kwargs: Any
) -> dict[str, float]:
    """mean, std, min, max and median of `num_iterations` calls in milliseconds, each waited for.

    std is that of a sample. gait.benchmark_function gives more: a confidence interval, and assert_faster_than.
    """
    _benchmark.refuse_clash(func, ("num_iterations", "warmup"), kwargs)
    measured = _benchmark.benchmark_function(
        _call(func), args, kwargs, iterations=num_iterations, warmup=warmup
    )
    return {name: getattr(measured, name) * 1e3 for name in ("mean", "std", "min", "max", "median")}
