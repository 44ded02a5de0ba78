"""embed.py DIST OUT: the built web app as a source of the program.

Writes OUT/assets.cc, which includes the files of DIST as they are, and compressed where that is worth it. Without DIST
the table is empty and the program says that it was built without its app.
"""

import gzip
import hashlib
import re
import sys
from pathlib import Path

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
# Vite names what it builds after its content: app-BfXw3d_9.js.
HASHED = re.compile(r"-[A-Za-z0-9_-]{8}\.[a-z0-9]+$")
WORTH_IT = 0.95

SOURCE = """#include "gait/serve/assets.h"

{included}
namespace gait::serve {{
{table}
}}  // namespace gait::serve
"""
TABLE = """namespace {{

constexpr Asset kAssets[] = {{
{rows}
}};

}}  // namespace

std::span<const Asset> Assets() {{ return kAssets; }}
"""
NO_TABLE = "\nstd::span<const Asset> Assets() { return {}; }\n"
INCLUDED = """// {digest}
extern "C" const char {symbol}[];
__asm__(".section .rodata\\n.hidden {symbol}\\n.global {symbol}\\n{symbol}:\\n.incbin \\"{path}\\"\\n.byte 0\\n.text");
"""


def include(symbol: str, path: Path) -> str:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return INCLUDED.format(symbol=symbol, path=path.resolve(), digest=digest)


def main() -> None:
    dist, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    found = {"/" + path.relative_to(dist).as_posix(): path for path in dist.rglob("*") if path.is_file()}
    included, rows = [], []
    for i, (address, path) in enumerate(sorted(found.items())):
        content = path.read_bytes()
        symbol = f"gait_asset_{i}"
        included.append(include(symbol, path))
        packed = gzip.compress(content, 9, mtime=0)
        small = "{}"
        if len(packed) < WORTH_IT * len(content):
            copy = out / f"{i}.gz"
            copy.write_bytes(packed)
            included.append(include(symbol + "_gz", copy))
            small = f"{{{symbol}_gz, {len(packed)}}}"
        kind = TYPES.get(path.suffix, "application/octet-stream")
        hashed = "true" if HASHED.search(address) else "false"
        rows.append(f'    {{"{address}", "{kind}", {{{symbol}, {len(content)}}}, {small}, {hashed}}},')
    table = TABLE.format(rows="\n".join(rows)) if rows else NO_TABLE
    (out / "assets.cc").write_text(SOURCE.format(included="".join(included), table=table))


main()
