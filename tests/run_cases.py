#!/usr/bin/env python3
r"""Runs the case files: the gait command as people see it.

A case file is

    # any number of comment lines
    command: gait info data/tiny.xplane.pb --width 80
    env: NO_COLOR=1              (any number of them)
    hide: checked \d+ rules      (any number of them: what another case shows is … here)
    exit: 0
    --- stdout
    what must come out, byte for byte
    --- stderr
    what must come out there

Commands run through the shell in a fresh folder that holds `data` (small inputs made by cases/make_data.py) and
`captures` (tests/data), with TZ=UTC, no terminal and a fixed environment. Several `command:` lines run one after
the other. `--update` writes what came out into the files; read the difference before committing it.
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cases"
TIMEOUT_S = 300  # a hang, not a slow machine


def readable(data: bytes) -> str:
    """The output as the case file has it: CSV's carriage returns are written as \\r, so that editors keep them."""
    return data.decode("utf-8", "surrogateescape").replace("\r\n", "\\r\n")


class Case:
    """One case file: what to run and what should come out."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.header: list[str] = []
        self.commands: list[str] = []
        self.env: dict[str, str] = {}
        self.hidden: list[str] = []
        self.exit = 0
        self.expected = {"stdout": "", "stderr": ""}
        part = None
        for line in path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True):
            if line.startswith("--- ") and line[4:].strip() in self.expected:
                part = line[4:].strip()
            elif part:
                self.expected[part] += line
            else:
                self._read_header(line.rstrip("\n"))

    def _read_header(self, line: str) -> None:
        self.header.append(line)
        key, _, value = line.partition(":")
        value = value.strip()
        if key == "command":
            self.commands.append(value)
        elif key == "env":
            name, _, setting = value.partition("=")
            self.env[name] = setting
        elif key == "hide":
            self.hidden.append(value)
        elif key == "exit":
            self.exit = int(value)
        elif line and not line.startswith("#"):
            raise ValueError(f"{self.path}: what is '{line}'?")

    def run(self, gait: str, template: pathlib.Path) -> tuple[int, dict[str, str]]:
        """Runs the commands in a copy of the template folder."""
        with tempfile.TemporaryDirectory(prefix="gait_case_") as folder:
            work = pathlib.Path(folder) / "work"
            shutil.copytree(template, work, symlinks=True)
            (work / "captures").symlink_to(HERE / "data")
            tools = pathlib.Path(folder) / "bin"
            tools.mkdir()
            (tools / "gait").symlink_to(gait)
            env = {
                "PATH": f"{tools}:/usr/bin:/bin",
                "HOME": folder,
                "TZ": "UTC",
                "LANG": "C.UTF-8",
                **self.env,
            }
            done = subprocess.run(
                ["/bin/bash", "-c", "\n".join(self.commands)],
                cwd=work,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
            return done.returncode, {"stdout": self._shown(done.stdout), "stderr": self._shown(done.stderr)}

    def _shown(self, output: bytes) -> str:
        text = readable(output)
        for pattern in self.hidden:
            text = re.sub(pattern, "…", text)
        return text

    def update(self, code: int, actual: dict[str, str]) -> None:
        lines = [f"exit: {code}" if line.startswith("exit:") else line for line in self.header]
        if not any(line.startswith("exit:") for line in lines):
            lines.append(f"exit: {code}")
        text = "\n".join(lines) + "\n"
        for part in ("stdout", "stderr"):
            if actual[part]:
                text += f"--- {part}\n{actual[part]}"
        self.path.write_text(text, encoding="utf-8", errors="surrogateescape")

    def difference(self, code: int, actual: dict[str, str]) -> str:
        out = []
        if code != self.exit:
            out.append(f"exit code {code}, expected {self.exit}\n")
        for part in ("stdout", "stderr"):
            out += difflib.unified_diff(
                self.expected[part].splitlines(keepends=True),
                actual[part].splitlines(keepends=True),
                f"expected {part}",
                f"actual {part}",
            )
        return "".join(out)


def main() -> int:
    parser = argparse.ArgumentParser(description="run the case files of gait")
    parser.add_argument("--gait", default=HERE.parent / "build" / "bin" / "gait", help="the command to test")
    parser.add_argument("--update", action="store_true", help="write what came out into the case files")
    parser.add_argument("only", nargs="*", help="parts of the names of the cases to run; all if left out")
    options = parser.parse_args()
    gait = str(pathlib.Path(options.gait).resolve())

    paths = sorted(CASES.rglob("*.case"))
    if options.only:
        paths = [p for p in paths if any(part in str(p.relative_to(CASES)) for part in options.only)]
    if not paths:
        print("no case has such a name", file=sys.stderr)
        return 2
    failures = 0
    with tempfile.TemporaryDirectory(prefix="gait_cases_") as folder:
        template = pathlib.Path(folder)
        subprocess.run([sys.executable, str(CASES / "make_data.py"), str(template / "data")], check=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cases = [Case(path) for path in paths]
            for case, (code, actual) in zip(
                cases, pool.map(lambda c: c.run(gait, template), cases), strict=True
            ):
                difference = case.difference(code, actual)
                if not difference:
                    continue
                if options.update:
                    case.update(code, actual)
                    print(f"updated {case.path.relative_to(CASES)}")
                else:
                    failures += 1
                    print(f"FAILED {case.path.relative_to(CASES)}\n{difference}")
    print(f"{len(paths) - failures} of {len(paths)} cases passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
