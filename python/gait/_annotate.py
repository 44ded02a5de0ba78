"""Names for code that runs: gait.scope, gait.annotate, gait.trace_function, gait.step."""

from __future__ import annotations

import functools
import inspect
import numbers
import operator
from collections.abc import Callable, Generator
from typing import Any, TypeVar, overload

from gait import _compiling, _jax, _messages, _scope
from gait._scope import Scope, scope

F = TypeVar("F", bound=Callable[..., Any])


def _resumed(name: Scope, inner: Any) -> Generator[Any, Any, Any]:
    """`inner`, a generator, with each stretch in which it runs under the name, and none in which it waits."""
    resume, argument = inner.__next__, ()
    while True:
        try:
            with name:
                item = resume(*argument)
        except StopIteration as stop:
            return stop.value
        try:
            sent = yield item
        except GeneratorExit:
            with name:
                inner.close()
            raise
        except BaseException as error:
            if not hasattr(inner, "throw"):
                raise
            resume, argument = inner.throw, (error,)
        else:
            # A plain iterator has no send, and nobody sends to it.
            resume, argument = (inner.__next__, ()) if sent is None else (inner.send, (sent,))


class _ResumedAwait:
    """An awaitable under the name, as _resumed."""

    def __init__(self, name: Scope, inner: Any):
        self._name = name
        self._inner = inner

    def __await__(self) -> Generator[Any, Any, Any]:
        return (yield from _resumed(self._name, self._inner.__await__()))


def _decorate(name: Scope, function: Any) -> Any:
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_decorate(name, function.__func__))
    if not callable(function):
        raise TypeError(f"{name!r} decorates functions, not {type(function).__name__}")
    # partials and callable objects have no __name__ of their own
    unwrapped = function
    while isinstance(unwrapped, functools.partial):
        unwrapped = unwrapped.func

    if inspect.isasyncgenfunction(unwrapped):

        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            inner = function(*args, **kwargs)
            sent = None
            try:
                while True:
                    try:
                        item = await _ResumedAwait(name, inner.asend(sent))
                    except StopAsyncIteration:
                        return
                    sent = yield item
            finally:
                await inner.aclose()

    elif inspect.iscoroutinefunction(unwrapped):

        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            return await _ResumedAwait(name, function(*args, **kwargs))

    elif inspect.isgeneratorfunction(unwrapped):

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return (yield from _resumed(name, function(*args, **kwargs)))

    else:

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with name:
                return function(*args, **kwargs)

    functools.update_wrapper(wrapper, function)
    if not hasattr(function, "__name__"):
        wrapper.__name__ = wrapper.__qualname__ = name.name
    return wrapper


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, (staticmethod, classmethod)):
        function = function.__func__
    return getattr(function, "__qualname__", None) or type(function).__qualname__


@overload
def annotate(name: F, /) -> F: ...
@overload
def annotate(name: str | None = None, /, **stats: Any) -> Callable[[F], F]: ...
def annotate(name: Any = None, /, **stats: Any) -> Any:
    """Decorates a function so that each call is named, in captures and in compiled programs.

    With a name, without one (the function's own is taken) and without parentheses. Works on methods, partials,
    generators, coroutines and callable objects. Keyword arguments become stats of the event.

        @gait.annotate
        def attention(x): ...

        @gait.annotate("load", source="disk")
        def next_batch(): ...
    """
    if name is None or isinstance(name, str):
        return lambda function: trace_function(function, name, **stats)
    return trace_function(name, **stats)


@overload
def trace_function(function: F, name: str | None = None, **stats: Any) -> F: ...
@overload
def trace_function(
    function: str | None = None, name: str | None = None, **stats: Any
) -> Callable[[F], F]: ...
def trace_function(function: Any = None, name: str | None = None, **stats: Any) -> Any:
    """`function`, named: what gait.annotate does, for functions that are there already.

    Without a function it decorates as gait.annotate does: @gait.trace_function("load").
    """
    if function is None or (isinstance(function, str) and name is None):
        return annotate(function or name, **stats)
    return scope(name or _name_of(function), **stats)(function)


def checked_number(value: Any) -> int:
    """`value` as the number of a step; TypeError says what is wrong with anything else."""
    if _jax.is_tracer(value):
        raise TypeError(
            "the step number is a tracer: this code runs inside jax.jit, which executes it once, while the "
            "program is traced, and never again. Mark steps outside of the jitted function, around its call."
        )
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # int() takes 3.7 and "3" as well
    except Exception:  # an array that was donated raises what it likes
        raise TypeError(f"a step number is an integer, not {type(value).__name__}: {_shown(value)}") from None
    if not LEAST <= number <= MOST:
        raise TypeError(f"a step number is an integer of 64 bits, not {_shown(number)}")
    return number


def _shown(value: Any) -> str:
    """For a message, whatever its class does when asked."""
    try:
        return f"{value!r:.60}"
    except Exception:
        return "one that cannot be shown"


def whole_number(value: Any) -> int:
    """The same, with a float without a fraction taken for its integer."""
    try:
        return checked_number(value)
    except TypeError:
        number = _whole(value)
        if number is None:
            raise
        return number


def step_number(value: Any) -> int:
    """`value` as the number of a step. What is none is said once, and training goes on: a float without a fraction is
    taken for its integer, anything else is the step after the last one."""
    if _jax.imported():
        _compiling.compilations()  # from the first step on it is known which steps compile
    if type(value) is int and LEAST <= value <= MOST:
        return value
    try:
        return checked_number(value)
    except TypeError as error:
        number = _whole(value)
        if number is None:
            begun = _scope.begun_steps(2**62)[0]
            last = _scope.begun_steps(max(begun - 1, 0))[1]
            number = last[-1][0] + 1 if last else 0
        _say_once(f"{error}.\nIt counts as step {number}; this is said once.")
        return number


LEAST, MOST = -(2**63), 2**63 - 1
_said = False


def _whole(value: Any) -> int | None:
    """Of a float or one of NumPy's: that of a device would have to be waited for."""
    if hasattr(value, "is_ready") or not isinstance(value, numbers.Real) or isinstance(value, bool):
        return None
    try:
        as_float = float(value)
    except Exception:  # too large, or a class of the program's that cannot
        return None
    return int(as_float) if as_float.is_integer() and abs(as_float) <= 2**53 else None


def _say_once(text: str) -> None:
    global _said
    if not _said:
        _said = True
        _messages.say(text)


_scope.set_decorate(_decorate)
_scope.set_step_number(step_number)
