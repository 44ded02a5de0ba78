"""tidy.py [FILE...]: clang-tidy over our own sources, or over those whose path ends in FILE.

Looks at the sources as the build with sanitizers compiles them, a folder at a time (cmake/room.cmake): headers are
read once for all of them, which makes it three times faster. Unit tests are left out unless FILE names them (tidy.py
_test.cc: all of them): they hold little that the warnings of two compilers do not find.

What is not in that build is looked at as the release build compiles it, and all of it without precompiled headers:
they may not be there. What was clean is not looked at again until it, a header of ours, its compile command or
.clang-tidy changes. Needs both trees, configured (build and build/asan), and the sources that the build generates.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREES = (ROOT / "build" / "asan", ROOT / "build")
WORK = ROOT / "build" / "tidy"  # the commands, and one empty file per clean state
CLANG_TIDY = subprocess.check_output([ROOT / "tools" / "llvm.sh", "clang-tidy"], text=True).strip()
FOLDERS = ("src", "fuzz", "tests")
PRECOMPILED = re.compile(r"( -Xclang)? -include(-pch)?( -Xclang)? \S+/cmake_pch\.hxx(\.pch)?")


def sources_of(entry: dict) -> list[Path]:
    """Our own sources in one unit of the build: what a file made by CMake includes, or the file itself."""
    file = Path(entry["file"])
    if "Unity" in file.parts:
        files = [Path(name) for name in re.findall(r'#include "(.*)"', file.read_text())]
    else:
        files = [file]
    return [f for f in files if f.is_relative_to(ROOT) and f.relative_to(ROOT).parts[0] in FOLDERS]


def units() -> list[tuple[dict, list[Path]]]:
    """Compile commands and their sources, each source once."""
    found, seen = [], set()
    for tree in TREES:
        for entry in json.loads((tree / "compile_commands.json").read_text()):
            sources = sources_of(entry)
            if not seen.issuperset(sources):
                found.append((entry | {"command": PRECOMPILED.sub("", entry["command"])}, sources))
                seen.update(sources)
    return found


def is_wanted(sources: list[Path], names: list[str]) -> bool:
    if names:
        return any(str(source).endswith(tuple(names)) for source in sources)
    return any(not source.name.endswith("_test.cc") for source in sources)


def hash_of(paths: list[Path]) -> bytes:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.digest()


def check(entry: dict, sources: list[Path], headers: bytes) -> str:
    """What clang-tidy has to say about one unit; empty when it is clean."""
    state = hashlib.sha256(headers + entry["command"].encode() + hash_of(sources)).hexdigest()
    if (WORK / state).exists():
        return ""
    # The compiler's own warnings are the build's affair: here they cost time.
    command = [CLANG_TIDY, "--quiet", "-p", WORK, "--extra-arg=-w", entry["file"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        (WORK / state).touch()
        return ""
    return done.stdout or done.stderr


def main() -> int:
    WORK.mkdir(parents=True, exist_ok=True)
    headers = hash_of([ROOT / ".clang-tidy", *(h for f in FOLDERS for h in sorted((ROOT / f).rglob("*.h")))])
    wanted = [unit for unit in units() if is_wanted(unit[1], sys.argv[1:])]
    (WORK / "compile_commands.json").write_text(json.dumps([entry for entry, _ in wanted]))
    wanted.sort(key=lambda unit: -sum(source.stat().st_size for source in unit[1]))  # the longest first
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [text for text in pool.map(lambda unit: check(*unit, headers), wanted) if text]
    print("\n".join(complaints))
    files = sum(len(sources) for _, sources in wanted)
    print(f"{files} files in {len(wanted)} units, {len(complaints)} with findings")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
