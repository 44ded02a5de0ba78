"""Makes tests/data/memory: device memory profiles of a loop that leaks. python make_memory.py

`step_N.prof` after each step: `keep` holds on to one more array a step, `window` keeps the last two, `state`
is replaced. Paths in front of the files' names are removed.
"""

import gzip
import os
import sys
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))
from wire import pieces, text

kept = []


def keep(step):
    kept.append(jnp.full((256, 256), step, jnp.float32))


def window(last, step):
    return [*last[-1:], jnp.full((128, 128), step, jnp.float32)]


def without_prefixes(profile: bytes) -> bytes:
    """The same message with shorter strings: "…/site-packages/jax/x.py" as "jax/x.py"."""
    out = b""
    for field, whole, content in pieces(profile):
        if field == 6 and content.startswith(b"/"):
            content = content.rpartition(b"site-packages/")[2]
            whole = text(field, content.rpartition(b"/")[2] if content.startswith(b"/") else content)
        out += whole
    return out


def main() -> None:
    directory = Path(__file__).parent / "memory"
    directory.mkdir(exist_ok=True)
    last, state = [], None
    for step in range(4):
        keep(step)
        last = window(last, step)
        state = jnp.zeros((64, 64)) + step
        jax.block_until_ready((kept, last, state))
        profile = without_prefixes(gzip.decompress(jax.profiler.device_memory_profile()))
        (directory / f"step_{step}.prof").write_bytes(gzip.compress(profile, mtime=0))


if __name__ == "__main__":
    main()
