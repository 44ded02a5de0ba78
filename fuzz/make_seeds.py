"""Writes the seeds of fuzz/corpus: real captures of each kind, cut to 20 to 200 KB, and what is in them; a real memory
profile; texts as people, programs and browsers write them. python fuzz/make_seeds.py (needs JAX and zstd)"""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import seed_texts

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "fuzz" / "corpus"
sys.path.insert(0, str(ROOT / "tests" / "oracle"))
from wire import pieces, text  # noqa: E402

LEAST, MOST = 20_000, 200_000
HOSTILE = b"</title></script><script>alert('&\"=1')</script>\r\n\xff\x1b["
GRAPHS = ("attention.", "branch_loops.", "split.")
# Field numbers of xplane.proto.
PLANES, LINES, EVENTS, EVENT_METADATA, STAT_METADATA = 1, 3, 4, 4, 5
NAME, ENTRY_VALUE, METADATA_STATS, STAT_BYTES = 2, 2, 5, 6
PROFILE_STRINGS = 6  # of pprof's profile.proto
REPLY_CAPTURE = 8  # of ProfileResponse


def cut_line(line: bytes, events: int) -> bytes:
    out, kept = bytearray(), 0
    for field, whole, _ in pieces(line):
        if field == EVENTS:
            kept += 1
            if kept > events:
                continue
        out += whole
    return bytes(out)


def cut_plane(plane: bytes, events: int, largest: int) -> bytes:
    """Without metadata that is large: programs, mostly."""
    out = bytearray()
    for field, whole, content in pieces(plane):
        if field == LINES:
            out += text(LINES, cut_line(content, events))
        elif field not in (EVENT_METADATA, STAT_METADATA) or len(content) <= largest:
            out += whole
    return bytes(out)


def cut(space: bytes) -> bytes:
    """As much of it as fits: fewer events of each line, then smaller programs."""
    for events, largest in ((300, 60_000), (100, 30_000), (40, 10_000), (15, 3_000), (6, 600), (2, 200)):
        out = b"".join(
            text(PLANES, cut_plane(content, events, largest)) if field == PLANES else whole
            for field, whole, content in pieces(space)
        )
        if len(out) <= MOST:
            return out
    raise SystemExit("a capture cannot be cut that far")


def inside(message: bytes, *fields: int):
    """The contents of the fields that this path of numbers leads to."""
    for field, _, content in pieces(message):
        if field == fields[0] and content is not None:
            if len(fields) == 1:
                yield content
            else:
                yield from inside(content, *fields[1:])


def renamed(message: bytes, *fields: int) -> bytes:
    """With HOSTILE in front of the texts that this path of numbers leads to."""
    out = bytearray()
    for field, whole, content in pieces(message):
        if field == fields[0] and content is not None:
            whole = text(field, HOSTILE + content if len(fields) == 1 else renamed(content, *fields[1:]))
        out += whole
    return bytes(out)


def hostile(space: bytes) -> bytes:
    """A run that is called so (its first plane is), and whose events are."""
    return text(PLANES, text(NAME, HOSTILE)) + renamed(space, PLANES, EVENT_METADATA, ENTRY_VALUE, NAME)


def programs(space: bytes) -> list[bytes]:
    """The smallest and the largest of the size of a seed."""
    path = (PLANES, EVENT_METADATA, ENTRY_VALUE, METADATA_STATS, STAT_BYTES)
    fit = sorted((p for p in inside(space, *path) if LEAST <= len(p) <= MOST), key=len)
    return [fit[0], fit[-1]]


def memory_profile() -> bytes:
    """Of a program with many arrays, each made somewhere else. Paths in front of the files' names are removed."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp

    arrays = []
    for layer in range(80):
        names = {"jnp": jnp, "arrays": arrays}
        lines = [f"def layer_{layer}(depth):", *["    pass"] * layer]
        lines += ["    arrays.append(jnp.zeros((depth + 1, 256)))", f"    if depth: layer_{layer}(depth - 1)"]
        exec(compile("\n".join(lines), f"model/layers/block_{layer}.py", "exec"), names)
        names[f"layer_{layer}"](5)
    profile = gzip.decompress(jax.profiler.device_memory_profile())
    return b"".join(
        text(field, content.rpartition(b"/")[2])
        if field == PROFILE_STRINGS and content.startswith(b"/")
        else whole
        for field, whole, content in pieces(profile)
    )


def keep(name: str, seed: bytes) -> None:
    path = CORPUS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(seed)
    print(f"{name}: {len(seed) / 1024:.1f} KB")


def main() -> None:
    for path in sorted((ROOT / "tests" / "data").glob("*/*.xplane.pb.gz")):
        if path.parent.name == "graphs" and not path.name.startswith(GRAPHS):
            continue  # they are much alike
        space = gzip.decompress(path.read_bytes())
        name = f"{path.parent.name}_{path.name.removesuffix('.xplane.pb.gz')}"
        seed = cut(space)
        keep(f"captures/{name}", seed)
        if name in ("h200_gpt", "cpu_one_device"):
            for number, program in enumerate(programs(space)):
                keep(f"hlo/{name}_{number}.pb", program)
        if name == "h200_recompile":
            keep("decompress/gzip_capture", gzip.compress(seed, mtime=0))
            zstd = subprocess.run(["zstd", "-q", "-9", "-c"], input=seed, stdout=subprocess.PIPE, check=True)
            keep("decompress/zstd_capture", zstd.stdout)
        if name == "h200_transfers":
            keep("captures/hostile_names", hostile(seed))
            keep("texts/reply_capture", b"\x06" + text(REPLY_CAPTURE, seed))
    keep("pprof/many_arrays.pb", memory_profile())
    for name, seed in seed_texts.all_of_them():
        keep(name, seed)


if __name__ == "__main__":
    main()
