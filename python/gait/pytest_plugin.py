"""The pytest plugin: `def test_step(gait_benchmark)`.

    def test_step(gait_benchmark):
        result = gait_benchmark(train_step, state, batch)
        result.assert_below("12ms")

    def test_nothing_compiles(gait_benchmark):
        run = gait_benchmark.trace(train_step, state, batch)
        gait.check(run, "compiles_after_warmup == 0", "device_busy > 80%")

--gait-save FILE keeps the results of a test run; --gait-compare FILE fails tests whose function became slower than it
is there, by more than --gait-max-slower beyond noise. Installed with the package; else `-p gait.pytest_plugin`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gait import Benchmark, Run

_RESULTS = pytest.StashKey[dict[str, Any]]()


class GaitBenchmark:
    """The fixture. Calling it measures a function; `trace` captures some calls of it."""

    def __init__(self, request: pytest.FixtureRequest, folder: Path):
        self._node = request.node.nodeid
        self._config = request.config
        self._folder = folder
        self._calls = 0

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Benchmark:
        """gait.benchmark_function, remembered for the summary and for --gait-save."""
        from gait import benchmark_function

        result = benchmark_function(function, *args, **kwargs)
        results = self._config.stash.setdefault(_RESULTS, {})
        self._calls += 1
        key = self._node if self._calls == 1 else f"{self._node} #{self._calls}"
        results[key] = result
        saved = self._config.getoption("--gait-compare")
        if saved:
            self._compare(result, key, Path(saved))
        return result

    def trace(self, function: Callable[..., Any], *args: Any, steps: int = 5, warmup: int = 2) -> Run:
        """Captures `steps` calls after `warmup` others, each a step of the capture, and reads it."""
        import jax

        import gait

        for _ in range(warmup):
            jax.block_until_ready(function(*args))
        with gait.trace(self._folder) as capture:
            for number in range(steps):
                with gait.step(number):
                    jax.block_until_ready(function(*args))
        if not capture.ok:
            pytest.fail(f"nothing was captured: {capture.error}")
        return gait.load(capture.path)

    def _compare(self, result: Benchmark, key: str, saved: Path) -> None:
        from gait import Benchmark

        before = json.loads(saved.read_text()).get(key)
        if before is None:
            return
        known = Benchmark(before["name"], tuple(before["times_s"]), before["first_s"])
        result.assert_not_slower_than(known, self._config.getoption("--gait-max-slower"))


@pytest.fixture
def gait_benchmark(request: pytest.FixtureRequest, tmp_path: Path) -> GaitBenchmark:
    """Measures functions of JAX: warmed up, waited for, with the noise. The result has assert_… methods."""
    return GaitBenchmark(request, tmp_path)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gait")
    group.addoption("--gait-save", metavar="FILE", help="write the results of gait_benchmark here")
    group.addoption("--gait-compare", metavar="FILE", help="fail what is slower than in this file")
    group.addoption("--gait-max-slower", metavar="SHARE", default="3%", help="by more than this (3%%)")


def pytest_sessionfinish(session: pytest.Session) -> None:
    target = session.config.getoption("--gait-save")
    results = session.config.stash.get(_RESULTS, {})
    if not target or not results:
        return
    from gait import _native

    content = {key: {**result.to_dict(), "times_s": result.times} for key, result in results.items()}
    _native.write_file(str(target), json.dumps(content, indent=1).encode())


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    results = config.stash.get(_RESULTS, {})
    if not results:
        return
    terminalreporter.section("gait benchmarks", sep="-")
    for key, result in results.items():
        terminalreporter.line(f"{key}: {result!r}")
