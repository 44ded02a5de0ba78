"""python tools/make_tables.py [--check]: web/src/api/tables.ts, the columns of every table, from what gait writes.

Run it after a change to the columns of a table; --check only says whether that was forgotten (a test does). The
columns are asked of the command and of the server, on captures of tests/data.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
GAIT = ROOT / "build" / "bin" / "gait"
MADE = ROOT / "web" / "src" / "api" / "tables.ts"
PROGRAM = "jit_train_step"
GPU = "h200/gpt.xplane.pb.gz"
OTHER = "h200/recompile.xplane.pb.gz"
HOSTS = "cpu/two_processes"
PROFILES = ("memory/step_0.prof", "memory/step_3.prof")
# What has a table of its own, or columns of its own.
COMMANDS = (
    *(
        (verb, GPU)
        for verb in "info overview doctor steps ops kernels idle path memory transfers collectives compile roofline "
        "host hlo".split()
    ),
    ("ops", GPU, "--by", "layer"),
    ("hlo", GPU, PROGRAM),
    ("dump", GPU, "--limit", "1"),
    ("collectives", HOSTS),
    ("memory", PROFILES[0]),
    ("memory", *PROFILES),
    ("doctor", "--list"),
    ("doctor", GPU, "--kpi"),
    ("check", GPU, "--list"),
    ("diff", GPU, OTHER),
    ("diff", GPU, OTHER, GPU),
    ("scale", GPU, OTHER),
    ("list", "h200"),
)
TYPES = {"string": "string", "integer": "number", "number": "number", "any": "unknown"}
KINDS = ("string", "number", "unknown")  # in the order of Columns
HEAD = """// The columns of every table, by the type of their values. Made by tools/make_tables.py: not to be edited.
// Tables of one name have the columns of all verbs that have one.

type Columns<Text extends string, Number extends string, Any extends string> = {
  readonly [name in Text]: string;
} & { readonly [name in Number]: number } & { readonly [name in Any]: unknown };

export interface Tables {
"""

Tables = dict[str, dict[str, str]]


def ask(*words: str) -> dict:
    done = subprocess.run([GAIT, *words, "--json"], cwd=DATA, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(f"gait {' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def answers() -> Iterator[dict]:
    for words in COMMANDS:
        yield ask(*words)
    first = ask("hlo", GPU, PROGRAM)["tables"]["instructions"]["rows"][0][0]
    yield ask("hlo", GPU, PROGRAM, first)
    with subprocess.Popen(
        [GAIT, "view", DATA / GPU, "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        try:
            yield from served(next(line.strip() for line in server.stdout or () if line.startswith("http")))
        finally:
            server.terminate()


def served(address: str) -> Iterator[dict]:
    """What only the viewer's server answers."""
    url = urllib.parse.urlsplit(address)
    token = urllib.parse.parse_qs(url.query).get("token", [""])[0]

    def ask(path: str, **query: object) -> dict:
        whole = f"http://{url.netloc}/api/runs{path}?{urllib.parse.urlencode(query)}"
        request = urllib.request.Request(whole, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)

    run = ask("")["runs"][0]["id"]
    yield ask(f"/{run}/area", **{"from": 0, "to": 10**9})
    yield ask(f"/{run}/flame", tracks=0)


def tables() -> Tables:
    found: Tables = {}
    for document in answers():
        for name, table in document["tables"].items():
            columns = found.setdefault(name, {})
            for column in table["columns"]:
                kind = TYPES[column["type"]]
                same = columns.get(column["name"], kind) == kind
                columns[column["name"]] = kind if same else "unknown"
    return found


def union(names: list[str]) -> str:
    if not names:
        return "    never"
    one_line = " ".join(f"'{name}'|" for name in names).removesuffix("|")
    filled = textwrap.fill(one_line, 100, initial_indent="    ", subsequent_indent="    ")
    return filled.replace("|", " |")


def entry(name: str, columns: dict[str, str]) -> str:
    unions = [union([c for c, kind in columns.items() if kind == wanted]) for wanted in KINDS]
    text = ",\n".join(unions)
    return f"  readonly {name}: Columns<\n{text}\n  >;\n"


def causes() -> str:
    """What `gait idle` calls the causes of idle time."""
    tables = ask("idle", GPU, "--explain")["tables"]
    parts = {column["name"] for column in tables["idle_gaps"]["columns"]}
    causes = {c["name"]: c["about"] for c in tables["idle_steps"]["columns"] if f"by_{c['name']}" in parts}
    names = "".join(f"  {cause}: '{name}',\n" for cause, name in causes.items())
    return (
        f"\nexport const idleCauseNames = {{\n{names}}} as const;\n"
        "export type IdleCause = keyof typeof idleCauseNames;\n"
    )


def main() -> int:
    made = (
        HEAD + "".join(entry(name, columns) for name, columns in sorted(tables().items())) + "}\n" + causes()
    )
    if "--check" in sys.argv:
        return int(not MADE.exists() or MADE.read_text() != made)
    MADE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
