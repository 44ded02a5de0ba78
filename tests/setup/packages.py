"""Which packages of a Debian system the build and its scripts used, and which of them tools/packages.txt brings in.

Used: headers (ninja's record of what each source read), libraries (what is linked), programs and files that CMake
found (its cache), programs that the scripts call (the words where a command stands). Brought in: the listed packages,
what they depend on, and what every Debian has.
"""

import ast
import functools
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "tools" / "packages.txt"
LISTS = Path("/var/lib/dpkg/info")
GIVEN = ("make", "git")  # whoever types `make run` in a clone has them


def groups() -> dict[str, list[str]]:
    """The packages of each group of the list, by Debian's names."""
    found: dict[str, list[str]] = {}
    for line in LIST.read_text().splitlines():
        match line.split():
            case [word, *_] if word.startswith("@"):
                found[word[1:]] = group = []
            case [word, *_] if not word.startswith("#"):
                group.append(word)
    return found


# What the build used.


def run(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def headers(tree: Path) -> Iterator[str]:
    for line in run("ninja", "-C", tree, "-t", "deps").splitlines():
        if line.startswith("    "):  # ccache may make paths relative
            yield os.path.normpath(tree / line.strip())


def libraries(tree: Path) -> Iterator[str]:
    words = set()
    for line in (tree / "build.ninja").read_text().splitlines():
        if line.startswith("  LINK_LIBRARIES = "):
            words.update(line.split()[2:])
    compiler = cache(tree)["CMAKE_CXX_COMPILER"]
    for word in words:
        if word.startswith("/"):
            yield word
        elif word.startswith("-l"):
            yield run(compiler, f"-print-file-name=lib{word[2:]}.so").strip()


def cache(tree: Path) -> dict[str, str]:
    return dict(
        re.findall(r"^([^#/\n][^:\n]*):\w+=(.*)$", (tree / "CMakeCache.txt").read_text(), re.MULTILINE)
    )


def found_by_cmake(tree: Path) -> Iterator[str]:
    called = (tree / "build.ninja").read_text()
    for name, value in cache(tree).items():
        # CMake itself looks for more tools of the compiler than it calls.
        if (
            value.startswith("/")
            and Path(value).is_file()
            and (not name.startswith("CMAKE_") or value in called)
        ):
            yield value


# What the scripts call.

OPENS_A_COMMAND = {
    "\n",
    ";",
    "|",
    "||",
    "&",
    "&&",
    "(",
    "{",
    ";;",
    ")",
    "then",
    "do",
    "else",
    "elif",
    "if",
    "while",
    "until",
}
CLOSES = {"fi", "done", "esac", "}"}
PASSES_ON = {"!", "time", "exec", "command", "env", "nice", "xargs", "sudo", "unshare"}


def commands_of_shell(text: str) -> Iterator[str]:
    """The words of a script that stand where a command does, and those inside $(...), which may stand inside quotes."""
    text = re.sub(r"<<'?(\w+)'?.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    for inner in re.findall(r"\$\(([^()]*)\)", text):
        yield from commands_of_shell(inner)
    lexer = shlex.shlex(text.replace("\\\n", " "), posix=True, punctuation_chars=";|&()\n")
    lexer.whitespace = " \t"
    lexer.wordchars += "+:,%@[]{}$"
    at_command, skip = True, 0
    try:
        for word in lexer:
            if skip:
                skip -= 1
            elif word in OPENS_A_COMMAND | CLOSES or set(word) <= set(";|&()\n"):
                at_command = True
            elif (
                at_command and not re.match(r"\w+=", word) and not (word in PASSES_ON or word.startswith("-"))
            ):
                at_command = False
                if word.endswith("step.sh"):  # TITLE LOG COMMAND...
                    at_command, skip = True, 2
                elif word.endswith("llvm.sh"):  # COMMAND, of whichever version
                    at_command = True
                elif word != "kill":  # bash has its own
                    yield word
    except ValueError as error:
        raise ValueError(f"not understood, so perhaps a command is missed: {text[:200]}") from error


def commands_of_python(text: str) -> Iterator[str]:
    """The first words of lists that are handed to subprocess."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(args=[ast.List(elts=[ast.Constant(value=str(first)), *_]), *_]):
                if "subprocess" in ast.unparse(node.func):
                    yield first


def scripts() -> Iterator[tuple[Path, Iterable[str]]]:
    for path in (*ROOT.glob("tools/*.sh"), ROOT / ".ci" / "run"):
        yield path, commands_of_shell(path.read_text())
    recipes = re.findall(r"^\t@?(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    yield ROOT / "Makefile", commands_of_shell("\n".join(recipes))
    for folder in ("tools", "tests", "bench", "cmake"):
        for path in (ROOT / folder).rglob("*.py"):
            yield path, commands_of_python(path.read_text())


def programs() -> Iterator[tuple[str, str]]:
    """Files of programs that scripts call, and the scripts. A program that is not here cannot have been used."""
    for path, words in scripts():
        for word in words:
            if (file := shutil.which(f"{word}-19") or shutil.which(word)) and "/" not in word:
                yield file, str(path.relative_to(ROOT))
    for path in ROOT.glob("tools/*.mjs"):  # those that are looked for in PATH
        for word in re.findall(r"'([\w-]+)'", path.read_text()):
            if file := shutil.which(word):
                yield file, str(path.relative_to(ROOT))


def modules() -> Iterator[tuple[str, str]]:
    """Modules of Python that scripts import: Debian has some of the standard ones in packages of their own."""
    for path in ROOT.glob("tools/*.sh"):
        for names in re.findall(r"\bimport ([\w, ]+)", path.read_text()):
            for name in names.split(","):
                spec = importlib.util.find_spec(name.strip())
                if spec is not None and spec.origin and spec.origin.startswith("/"):
                    yield spec.origin, str(path.relative_to(ROOT))


# What packages hold.


@functools.cache
def owners() -> dict[str, str]:
    """The package of each file of the system."""
    found = {}
    for listing in LISTS.glob("*.list"):
        package = listing.stem.split(":")[0]
        for line in listing.read_text().splitlines():
            found.setdefault(line, package)
    return found


@functools.cache
def owners_by_ending() -> dict[str, str]:
    return {"/".join(path.rsplit("/", 2)[1:]): package for path, package in owners().items()}


def owner(file: str) -> str | None:
    """The package of a file: by its path or by what a link leads to. For what somebody put elsewhere by hand (another
    Python): the package that has a program of this name, or a file of this name in a folder of this name. None: no
    package has one.
    """
    real = os.path.realpath(file)
    for path in (file, real, "/usr/bin/" + os.path.basename(file)):
        for name in (path, path.removeprefix("/usr"), "/usr" + path):
            if name in owners():
                return owners()[name]
    return owners_by_ending().get("/".join(real.rsplit("/", 2)[1:]))


def brought_in(listed: Iterable[str]) -> set[str]:
    """These packages, those of every Debian, and all that they depend on here."""
    fields = "${Package}\t${Essential}\t${Priority}\t${Depends}, ${Pre-Depends}\t${Provides}\n"
    depends, providers, base = {}, {}, set()
    for line in run("dpkg-query", "-W", "-f", fields).splitlines():
        package, essential, priority, needs, provides = line.split("\t")
        depends[package] = re.findall(r"[a-z0-9][a-z0-9+.-]+(?=[ ,:|(]|$)", re.sub(r"\([^)]*\)", "", needs))
        for name in re.findall(r"[a-z0-9][a-z0-9+.-]+(?=[ ,(]|$)", re.sub(r"\([^)]*\)", "", provides)):
            providers.setdefault(name, []).append(package)
        if essential == "yes" or priority == "required":
            base.add(package)
    found, open_ones = set(), [*listed, *base, *GIVEN]
    while open_ones:
        name = open_ones.pop()
        if name not in found:
            found.add(name)
            open_ones += depends.get(name, providers.get(name, []))
    return found


def used() -> set[tuple[str, str]]:
    """Each file from outside of the tree that was used, and by what."""
    files: set[tuple[str, str]] = {*programs(), *modules()}
    for tree in (ROOT / "build", ROOT / "build" / "asan"):
        if (tree / "build.ninja").exists():
            for find in (headers, libraries, found_by_cmake):
                files.update((file, f"{tree.relative_to(ROOT)}, {find.__name__}") for file in find(tree))
    return {(file, by) for file, by in files if not Path(file).is_relative_to(ROOT) and os.path.exists(file)}


def groups_for(by: str) -> tuple[str, ...]:
    """Which groups are installed where this is used: make run has no more than build, make test no linters."""
    match by.split(", ")[0]:
        case "build":  # the benchmark's programs are of the same tree, where somebody built them
            return "build", "bench", "optional"
        case "build/asan":
            return "build", "clang", "optional"
        case "tools/lint.sh" | "tools/tidy.py":
            return "build", "clang", "lint", "optional"
        case "tools/test_bare.sh":
            return ("bare",)
        case script if script.startswith("bench/"):
            return "build", "browser", "bench", "optional"
        case _:
            return "build", "clang", "browser", "optional"


def not_brought_in(listed: dict[str, list[str]], files: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Packages that something used and that no row of its groups brings in, each with a file and who used it. A file
    that is in no package is named by itself."""
    there: dict[tuple[str, ...], set[str]] = {}
    missing = {}
    for file, by in sorted(files):
        names = groups_for(by)
        if names not in there:
            there[names] = brought_in(package for name in names for package in listed[name])
        package = owner(file) or file
        if package not in there[names]:
            missing.setdefault(package, f"{file} (used by {by})")
    return missing
