"""Every verb of the command as a method of a run and as a function, with its options, their types and their meaning.

One table has all verbs (_verb_table.py). Arguments go to the verb's own parser, which checks them.
"""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gait import _native
from gait._command import command
from gait._messages import GaitError, OptionError
from gait._tables import Report
from gait._verb_table import VERBS

if TYPE_CHECKING:
    from gait._capture import Capture
    from gait._run import Run

    RunLike = str | os.PathLike[str] | Run | Capture

# Rows are chosen from what the verb answers, unless it has an option of its own.
ROWS = ("table", "top", "sort", "name", "min")
WHOLE_NUMBERS = ("top", "limit", "steps")  # where they take a number
OF_SEVERAL = ("diff", "scale", "report")  # runs
OF_NONE = ("list", "capture")
# What the command takes behind its options: -- PROGRAM.
PROGRAM = ("program", "WORDS", "a program to run on each number of devices: program=['python', 'train.py']")
MANY = ("limit", "prof")  # arguments of which there may be several
ABOUT_A_RUN = tuple(verb for verb in VERBS if verb not in (*OF_SEVERAL, *OF_NONE))


def words_of(options: dict[str, Any]) -> list[str]:
    """As the command line has them."""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):  # an option that may be repeated
            words += [f"{option}={item}" for item in value]
        elif value is not None and value is not False:
            words.append(f"{option}={value}")
    return words


def answer(
    ask: Callable[..., _native.Document], verb: str, arguments: list[str], options: dict[str, Any]
) -> Report:
    """What a verb says: `ask` is the binding's function, of a run that is read or of none."""
    rows = {name: options[name] for name in ROWS if options.get(name) is not None and _is_of_rows(verb, name)}
    top = rows.pop("top", None)
    if top is not None:
        top = _rows(top)
    for name, value in rows.items():
        if not isinstance(value, str):
            raise OptionError(f"{name}= takes text, not {value!r:.60}.")
    if rows.get("min") == "":
        raise OptionError("min= takes a time, as in min='10ms', and is empty.")
    return Report(ask(verb, [*arguments, *words_of(options)], top=top, **rows))


def _words(program: Any) -> list[str]:
    if isinstance(program, str) or not program or not all(isinstance(word, str) for word in program):
        raise OptionError(
            f"program= takes the words of a command, as ['python', 'train.py'], not {program!r:.60}."
        )
    return list(program)


def _rows(top: Any) -> int:
    try:
        number = -1 if isinstance(top, bool) else operator.index(top)  # NumPy's integers too
    except TypeError:
        number = -1
    if number < 0:
        raise OptionError(f"top= takes a number of rows, not {top!r}.")
    return number


def _is_of_rows(verb: str, name: str) -> bool:
    """dump has a name= and a top= of its own, which choose events before they become rows."""
    return verb != "dump" or name not in ("top", "name")


def path_of(run: RunLike) -> str:
    """Of anything that stands for a run."""
    from gait._capture import Capture
    from gait._run import Run

    if isinstance(run, Capture):
        if not run.ok:
            raise GaitError(f"there is no capture to look at: {run.error or run.state}.")
        run = run.path
    return os.fspath(run.path if isinstance(run, Run) else run)


def _type_of(name: str, takes: str) -> tuple[str, Any]:
    """(annotation, default) of an option."""
    if not takes:
        return "bool", False
    if takes in ("KEY=VALUE", "WORDS"):
        return "Sequence[str] | None", None
    if takes == "LEVEL" or (takes == "N" and name in WHOLE_NUMBERS):
        return "int | None", None
    return ("float | None" if takes == "N" else "str | None"), None


def _describe(verb: str, function: Any, first: list[inspect.Parameter]) -> Any:
    """Gives a function the name, the signature and the documentation of a verb."""
    sentence, arguments, options = VERBS[verb]
    options = (PROGRAM, *options) if verb == "scale" else options
    parameters = list(first)
    width = max([len(name) for name, *_ in (*arguments, *options)], default=0) + 2
    lines = [sentence, ""]
    if first and first[-1].kind is not inspect.Parameter.VAR_POSITIONAL:
        for name, about in arguments[1:]:
            if name in MANY:
                name = f"{name}s"
                parameters.append(inspect.Parameter(name, inspect.Parameter.VAR_POSITIONAL, annotation="str"))
            else:
                optional = inspect.Parameter.POSITIONAL_OR_KEYWORD
                parameters.append(inspect.Parameter(name, optional, default=None, annotation="str | None"))
            lines.append(f"{name:<{width}}{about}")
    for name, takes, about in options:
        annotation, default = _type_of(name, takes)
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
        lines.append(f"{name:<{width}}{about}")
    function.__name__ = function.__qualname__ = verb
    function.__doc__ = "\n".join(lines).rstrip()
    function.__signature__ = inspect.Signature(parameters, return_annotation="Report")
    function.__module__ = "gait"
    return function


def _bound(
    function: Any, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Arguments and options as the signature sorts them; OptionError for what it does not have."""
    try:
        given = function.__signature__.bind(*arguments, **options)
    except TypeError as error:
        takes = ", ".join(name for name in function.__signature__.parameters if name != "self")
        raise OptionError(f"gait.{function.__name__}: {error}. It takes: {takes}.") from None
    keywords = {p.name for p in function.__signature__.parameters.values() if p.kind is p.KEYWORD_ONLY}
    plain: list[Any] = []
    for name, value in given.arguments.items():
        if name in keywords:
            continue
        several = function.__signature__.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        plain += value if several else [value]
    while plain and plain[-1] is None:
        plain.pop()
    return plain, {name: value for name, value in given.arguments.items() if name in keywords}


def method(verb: str) -> Any:
    """A verb as a method of gait.Run."""

    def asked(*arguments: Any, **options: Any) -> Report:
        (run, *words), chosen = _bound(asked, arguments, options)
        return run.report(verb, *words, **chosen)

    parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return _describe(verb, asked, [parameter])


def function(verb: str) -> Any:
    """A verb as a function: of a run, of several, of a log directory, or of programs that run."""

    def asked(*arguments: Any, **options: Any) -> Report:
        words, chosen = _bound(asked, arguments, options)
        if verb == "capture":
            _native.look_for_helper_in(str(command().resolve().parent))
            return answer(_native.answer, verb, [str(address) for address in words], chosen)
        if verb == "scale":
            chosen["gait"] = command()
            if chosen.get("program") is not None:
                chosen["program"] = _words(chosen["program"])
        if verb in (*OF_SEVERAL, *OF_NONE):
            return answer(_native.answer, verb, [path_of(run) for run in words], chosen)
        from gait._run import Run, load

        run, *rest = words or ["runs"]
        return (run if isinstance(run, Run) else load(path_of(run))).report(verb, *rest, **chosen)

    if verb in OF_SEVERAL:
        first = inspect.Parameter("runs", inspect.Parameter.VAR_POSITIONAL, annotation="RunLike")
    elif verb == "capture":
        first = inspect.Parameter("address", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="str | int")
    elif verb in OF_NONE:
        first = inspect.Parameter(
            "logdir", inspect.Parameter.POSITIONAL_OR_KEYWORD, default="runs", annotation="str | PathLike"
        )
    else:
        first = inspect.Parameter(
            "run", inspect.Parameter.POSITIONAL_OR_KEYWORD, default="runs", annotation="RunLike"
        )
    return _describe(verb, asked, [first])
