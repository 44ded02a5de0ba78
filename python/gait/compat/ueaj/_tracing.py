"""profile_trace, profile_function, profile_scope."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import gait
from gait import _jax
from gait._arguments import check_text
from gait._blocks import Mark
from gait._capture import Capture
from gait._layout import confined
from gait._messages import OptionError
from gait.compat._blocks import captured
from gait.compat._lines import tell

F = TypeVar("F", bound=Callable[..., Any])


@contextlib.contextmanager
def profile_trace(
    log_dir: str | os.PathLike[str],
    name: str = "trace",
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    tensorboard: bool = True,
) -> Iterator[Capture]:
    """Captures the block into log_dir/name. Three lines say where it is and how to open it.

    create_perfetto_link no longer waits for a browser: the file is written, and the line says how to open it.
    """
    with _captured(log_dir, name, create_perfetto_link, create_perfetto_trace, tensorboard) as capture:
        yield capture


@contextlib.contextmanager
def _captured(
    log_dir: str | os.PathLike[str],
    name: str,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    tensorboard: bool = True,
    **options: Any,
) -> Iterator[Capture]:
    """profile_trace, with further options of gait.trace."""
    if name is not None:
        check_text("name", name)
    directory = os.path.join(log_dir, confined(name) if name else "")
    perfetto = tensorboard or create_perfetto_trace or create_perfetto_link
    tell(f"📊 Profiling to: {directory}")
    capture = None
    try:
        with captured(log_dir, name, perfetto=perfetto, **options) as capture:
            yield capture
    finally:  # a capture of code that failed is worth as much
        if capture is not None and not capture.lost:
            if tensorboard:
                # A shell leaves a tilde alone that stands behind an option's name.
                tell(f"✓ TensorBoard: tensorboard --logdir={os.path.expanduser(directory)}")
            if perfetto:
                tell(f"✓ Perfetto: Upload {capture.trace_json} to https://ui.perfetto.dev")


def profile_scope(name: str, enabled: bool = True) -> contextlib.AbstractContextManager[Any]:
    """Names a part of the program, on the host and, inside jax.jit, in the compiled program too."""
    return gait.scope(name) if enabled else contextlib.nullcontext()


def profile_function(
    log_dir: str | os.PathLike[str], name: str | None = None, warmup_steps: int = 3, profile_steps: int = 1
) -> Callable[[F], F]:
    """Decorates a function: its first call warms up and then captures; all later ones are plain calls.

    A function that consumes its arguments (donate_argnums) cannot be called twice with them: its first
    `warmup_steps` calls warm up then, and the next `profile_steps` calls are captured, each made once.
    """
    if name is not None:
        check_text("name", name)
    if warmup_steps < 0 or profile_steps < 1:
        raise OptionError(
            f"warmup_steps= is at least 0 and profile_steps= at least 1, not {warmup_steps} and {profile_steps}."
        )

    def decorate(function: F) -> F:
        label = getattr(function, "__name__", None) or type(function).__name__
        calls = _Calls(function, label, log_dir, name or label, warmup_steps, profile_steps)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return calls.next(args, kwargs)

        return wrapper  # type: ignore[return-value]

    return decorate


class _Calls:
    """Which calls of a decorated function are captured."""

    def __init__(
        self,
        function: Callable[..., Any],
        label: str,
        log_dir: str | os.PathLike[str],
        name: str,
        warmup: int,
        profile: int,
    ):
        self._function = function
        self._label = label
        self._where = (log_dir, name)
        self._warmup = warmup
        self._profile = profile
        self._step = 0  # of the function, the warm-up counts
        self._done = False
        self._open: contextlib.ExitStack | None = (
            None  # the capture of a function that consumes its arguments
        )

    def next(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._done or _staged((args, kwargs)):
            return self._function(*args, **kwargs)
        while True:
            if self._step == 0 and self._warmup > 0:
                tell(f"🔥 Warming up {self._label} ({self._warmup} steps)...")
            if self._step == self._warmup:
                self._begin()
            last = self._step + 1 == self._warmup + self._profile
            try:
                with self._entry():
                    result = self._function(*args, **kwargs)
            except BaseException:
                self._end()
                raise
            self._step += 1
            if last:
                self._end()
                return result
            if _consumed((args, kwargs)):  # the caller has to bring new ones
                return result

    def _begin(self) -> None:
        tell(f"📊 Profiling {self._label} ({self._profile} steps)...")
        self._open = contextlib.ExitStack()
        self._open.enter_context(_captured(*self._where, block_name=""))  # its steps are the calls

    @contextlib.contextmanager
    def _entry(self) -> Iterator[None]:
        """One call, in the capture a step with the capture's name."""
        mark = None if self._open is None else Mark(self._where[1], self._step - self._warmup)
        try:
            yield
        finally:
            if mark is not None:
                mark.end()

    def _end(self) -> None:
        if self._step >= self._warmup:  # a failed warm-up is tried again
            self._done = True
        if self._open is not None:
            capture, self._open = self._open, None
            capture.close()


def _staged(arguments: Any) -> bool:
    """Whether this call only traces the function, inside jax.jit."""
    import jax

    return any(_jax.is_tracer(leaf) for leaf in jax.tree.leaves(arguments))


def _consumed(arguments: Any) -> bool:
    """Whether the call has donated an array of its arguments."""
    import jax

    return any(isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in jax.tree.leaves(arguments))
