"""tidy.py [FILE...]: clang-tidy over our own sources, or over those whose path ends in FILE.

Unit tests are left out unless FILE names them (tidy.py _test.cc: all of them): they are a third of the time and hold
little that the warnings of two compilers do not find.

A file that was clean is not looked at again until it, a header of ours that it includes, its compile command
or .clang-tidy changes: checking everything takes minutes, checking after an edit seconds. Needs a built tree
in build/.
"""

import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CLEAN = BUILD / "tidy"  # one empty file per clean state
FOLDERS = ("src", "fuzz", "tests")


def headers_by_object() -> dict[str, list[Path]]:
    """The project's own files that each object was made from, as ninja recorded them."""
    output = subprocess.run(
        ["ninja", "-C", BUILD, "-t", "deps"], check=True, capture_output=True, text=True
    ).stdout
    found: dict[str, list[Path]] = {}
    current: list[Path] = []
    for line in output.splitlines():
        if line.startswith("    "):
            path = (BUILD / line.strip()).resolve()
            if path.is_relative_to(ROOT):
                current.append(path)
        elif ":" in line:
            current = found.setdefault(line.split(":")[0], [])
    return found


def state_of(entry: dict, headers: dict[str, list[Path]]) -> str:
    digest = hashlib.sha256(entry["command"].encode())
    output = entry["command"].partition(" -o ")[2].split()[0]
    for path in [ROOT / ".clang-tidy", Path(entry["file"]), *headers.get(output, [])]:
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()


def check(entry: dict, headers: dict[str, list[Path]]) -> str:
    """What clang-tidy has to say about one file; empty when it is clean."""
    state = CLEAN / state_of(entry, headers)
    if state.exists():
        return ""
    # The compile command is g++'s, whose warning options clang need not know.
    command = ["clang-tidy-19", "--quiet", "-p", BUILD, "--extra-arg=-Wno-unknown-warning-option"]
    command.append("--extra-arg=-Wno-deprecated-declarations")  # see cmake/toolchain.cmake
    done = subprocess.run([*command, entry["file"]], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        state.touch()
        return ""
    return done.stdout or done.stderr


def main() -> int:
    CLEAN.mkdir(parents=True, exist_ok=True)
    headers = headers_by_object()
    entries = [
        entry
        for entry in json.loads((BUILD / "compile_commands.json").read_text())
        if Path(entry["file"]).is_relative_to(ROOT)
        and Path(entry["file"]).relative_to(ROOT).parts[0] in FOLDERS
        and (
            entry["file"].endswith(tuple(sys.argv[1:]))
            if sys.argv[1:]
            else not entry["file"].endswith("_test.cc")
        )
    ]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [text for text in pool.map(lambda e: check(e, headers), entries) if text]
    print("\n".join(complaints))
    print(f"{len(entries)} files, {len(complaints)} with findings")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
