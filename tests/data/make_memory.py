"""Makes tests/data/memory: device memory profiles of a loop that leaks. python make_memory.py

`step_N.prof` after each step: `keep` holds on to one more array a step, `window` keeps the last two, `state`
is replaced. Paths in front of the files' names are removed.
"""

import gzip
import os
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp

kept = []


def keep(step):
    kept.append(jnp.full((256, 256), step, jnp.float32))


def window(last, step):
    return [*last[-1:], jnp.full((128, 128), step, jnp.float32)]


def varint(value: int) -> bytes:
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def without_prefixes(profile: bytes) -> bytes:
    """The same message with shorter strings: "…/site-packages/jax/x.py" as "jax/x.py"."""
    out, at = b"", 0
    while at < len(profile):
        begin = at
        tag, at = read_varint(profile, at)
        if tag & 7 == 0:
            _, at = read_varint(profile, at)
            out += profile[begin:at]
            continue
        size, at = read_varint(profile, at)
        content = profile[at : at + size]
        at += size
        if tag >> 3 == 6 and content.startswith(b"/"):
            content = content.rpartition(b"site-packages/")[2]
            content = content.rpartition(b"/")[2] if content.startswith(b"/") else content
        out += varint(tag) + varint(len(content)) + content
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
