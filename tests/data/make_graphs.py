"""Makes the captures of tests/data/graphs on a machine with an NVIDIA GPU.

Small programs whose CUDA graphs are hard to attribute: layers in a loop, branches, several graphs in one program,
library calls side by side, sorts of several kernels. Each is captured with graphs and without; the second is the truth
for the first.

    python make_graphs.py OUT                 all variants, each in a process of its own
    python make_graphs.py OUT VARIANT         one, in this process
"""

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WITHOUT_GRAPHS = "--xla_gpu_enable_command_buffer="
WITH_LOOPS = "--xla_gpu_enable_command_buffer=+while,+conditional"
PROGRAMS = ["scan", "branch", "split", "gemms", "attention", "dynamic", "sorts"]


def program(name):
    """The step function and its arguments."""
    import jax
    import jax.numpy as jnp

    key = jax.random.PRNGKey(0)
    x = jax.random.normal(key, (512, 512), jnp.bfloat16)
    layers = jax.random.normal(key, (4, 2, 512, 512), jnp.bfloat16) * 0.04

    def layer(h, w):
        with jax.named_scope("layer"):
            h = jax.nn.gelu(h @ w[0])
            return h + jnp.tanh(h @ w[1])

    def scan(h, w):
        with jax.named_scope("prologue"):
            h = h / (1 + jnp.abs(h).mean())
        h, _ = jax.lax.scan(lambda h, w: (layer(h, w), None), h, w)
        with jax.named_scope("epilogue"):
            return jnp.sum(jnp.square(h), axis=0)

    def branch(h, w):
        for i in range(2):
            with jax.named_scope(f"block_{i}"):
                h = layer(h, w[i])
                h = jax.lax.cond(h[0, 0] > 0, lambda h: h * 2 + 1, lambda h: jnp.sin(h) @ w[3, 1], h)
        return jnp.mean(h, axis=1)

    def split(h, w):
        for i in range(3):
            with jax.named_scope(f"block_{i}"):
                h = layer(h, w[i])
                with jax.named_scope("spectrum"):  # a library call that no command buffer takes
                    h = jnp.abs(jnp.fft.fft(h.astype(jnp.float32))).astype(jnp.bfloat16) * 0.05
                h = jnp.sort(h, axis=1) + h
        return jnp.max(h, axis=1)

    def gemms(h, w):
        with jax.named_scope("qkv"):
            q, k, v = (h @ w[0, 0], h @ w[1, 0], h @ w[2, 0])
        with jax.named_scope("square"):
            s = q @ k.T
            t = s @ v
            u = t @ w[3, 0] @ w[3, 1]
        return u.astype(jnp.float32).sum(axis=0)

    def attention(h, w):
        def loss(w):
            q, k, v = (jnp.reshape(h @ w[i, 0], (1, 512, 4, 128)) for i in range(3))
            with jax.named_scope("attention"):
                o = jax.nn.dot_product_attention(q, k, v, implementation="cudnn", is_causal=True)
            return jnp.sum(jnp.square(o.reshape(512, 512) @ w[3, 1]).astype(jnp.float32))

        with jax.named_scope("training"):
            return w - 0.001 * jax.grad(loss)(w)

    def dynamic(h, w):
        def body(state):
            i, h = state
            with jax.named_scope("refine"):
                return i + 1, jax.lax.dynamic_update_slice(h, (h[:8] @ w[0, 0]) * 0.5, (i * 8, 0))

        _, h = jax.lax.while_loop(lambda s: s[0] < 3 + (s[1][0, 0] > 100), body, (0, h))
        return layer(h, w[1])

    def sorts(h, w):  # experts of tokens: each sort is a copy and several kernels
        def expert(h, w):
            with jax.named_scope("route"):
                order = jnp.argsort((h @ w[0][:, :16]).astype(jnp.float32).reshape(-1))
            with jax.named_scope("dispatch"):
                h = h[order[:512] // 16]
            return layer(h, w)

        with jax.named_scope("first"):
            h = expert(h, w[0])
        h, _ = jax.lax.scan(lambda h, w: (expert(h, w), None), h, w)
        with jax.named_scope("last"):
            return expert(h, w[1])

    return jax.jit(locals()[name]), x, layers


def capture(out, name):
    """Three steps of a warm program, without the Python tracer."""
    import jax

    step, x, w = program(name)
    for _ in range(4):
        jax.block_until_ready(step(x, w))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.session_id = "run"
    jax.profiler.start_trace(out, profiler_options=options)
    for i in range(3):
        with jax.profiler.StepTraceAnnotation("train", step_num=i):
            jax.block_until_ready(step(x, w))
    jax.profiler.stop_trace()


def main():
    out = pathlib.Path(sys.argv[1])
    if len(sys.argv) == 3:
        return capture(str(out), sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        for suffix, flags in [("", ""), ("_loops", WITH_LOOPS), ("_without", WITHOUT_GRAPHS)]:
            if suffix == "_loops" and name not in ("scan", "branch", "dynamic", "sorts"):
                continue
            folder = tempfile.mkdtemp()
            env = dict(os.environ, XLA_FLAGS=flags)
            done = subprocess.run([sys.executable, __file__, folder, name], env=env, check=False)
            found = list(pathlib.Path(folder).rglob("*.xplane.pb"))
            print(name + suffix, "rc", done.returncode, [f.stat().st_size for f in found], flush=True)
            if found:
                with gzip.GzipFile(out / f"{name}{suffix}.xplane.pb.gz", "wb", mtime=0) as target:
                    target.write(found[0].read_bytes())
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
