"""Pieces of loops that measure themselves: what each step of a loop does, and for how long, by the program's clock.

A piece is made for a `Run` and gives a function of the step's number. It says what its thread does in one word:

input      waits for the next batch, or makes it      transfer   brings data to the device
call       calls a jitted function that is compiled   compile    calls or makes one that is not
wait       waits for a result                         collect    collects garbage
python     everything else; nobody has to say it
"""

import concurrent.futures
import contextlib
import gc
import io
import logging
import os
import queue
import subprocess
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

now = time.perf_counter_ns
named = jax.profiler.TraceAnnotation


def maybe_named(name):
    return named(name) if name else contextlib.nullcontext()


MS = 1_000_000  # ns


class Run:
    """A loop that runs, and what it measures."""

    def __init__(self, directory):
        self.directory = directory
        self.spans = []  # (kind, begin, end) of the loop's thread, one after another
        self.callbacks = []  # (begin, end), on whatever thread
        self.evaluations = []  # (series, begin, end), outside of the steps
        self.done = {}  # by step: when the loop had its result
        self.threads = []  # of the program: they start with the capture
        self.endings = []  # called when the loop is over
        self.state = jax.device_put(np.full((400, 400), 0.01, np.float32))
        self.batch = jax.device_put(np.full((400, 400), 0.01, np.float32))

    @contextlib.contextmanager
    def doing(self, kind):
        begin = now()
        yield
        self.spans.append((kind, begin, now()))


@jax.jit
def train_step(state, batch):
    for _ in range(6):
        state = jnp.tanh(state @ batch)
    return state


@jax.jit
def scan_step(state, batch):
    return jax.lax.scan(lambda x, _: (jnp.tanh(x @ batch), None), state, None, length=8)[0]


@jax.jit
def layer(state, batch):
    return jnp.tanh(state @ batch)


@jax.jit
def any_shape(x):
    return (x * 2 + 1).sum()


@jax.jit
def large(x):
    return jnp.tile(x, (6, 6)) + 1


@jax.jit
def evaluate_model(state):
    return jax.lax.fori_loop(0, 12, lambda _, x: jnp.tanh(x @ x), state)


# What is done each step, or seldom.


def both(*pieces):
    def made(run):
        functions = [piece(run) for piece in pieces]

        def together(number):
            for function in functions:
                function(number)

        return together

    return made


def every(count, *pieces):
    def made(run):
        function = both(*pieces)(run)
        return lambda number: function(number) if number % count == count - 1 else None

    return made


def inside(name, *pieces):
    """Under an annotation of the program."""

    def made(run):
        function = both(*pieces)(run)

        def annotated(number):
            with named(name):
                function(number)

        return annotated

    return made


# The model.


def calls(function=train_step, times=1):
    def made(run):
        function(run.state, run.batch).block_until_ready()

        def call(number):
            with run.doing("call"):
                for _ in range(times):
                    run.state = function(run.state, run.batch)

        return call

    return made


def waits(run):
    def wait(number):
        with run.doing("wait"):
            run.state.block_until_ready()
        run.done[number] = now()

    return wait


def reads_loss(how=float, late=False):
    """`late`: that of the step before."""

    def made(run):
        mean = jax.jit(jnp.mean)
        how(mean(run.state))
        losses = [mean(run.state)] if late else []

        def read(number):
            with run.doing("call"):
                losses.append(mean(run.state))
            with run.doing("wait"):
                how(losses.pop(0))
            if not late:
                run.done[number] = now()

        return read

    return made


def reads_large_result(run):
    np.asarray(large(run.state))
    read = []

    def read_it(number):
        with run.doing("call"):
            result = large(run.state)
        with run.doing("wait"):
            read.append(np.asarray(result))
        run.done[number] = now()
        read.clear()

    return read_it


# What Python does.


def sleeps(kind, ms):
    def made(run):
        def sleep(number):
            with run.doing(kind):
                time.sleep(ms / 1000)

        return sleep

    return made


def computes(kind, ms):
    def made(run):
        def compute(number):
            with run.doing(kind):
                until, total = now() + ms * MS, 0
                while now() < until:
                    total += sum(range(100))

        return compute

    return made


def preprocesses(run):
    """Makes a batch with numpy."""
    images = np.random.default_rng(1).integers(0, 255, (400, 3000), np.uint8)

    def preprocess(number):
        with run.doing("input"):
            for _ in range(4):
                scaled = (images.astype(np.float32) - 127) / 255
                run.host_batch = np.ascontiguousarray(scaled[:, :400])

    return preprocess


def collects_garbage(run):
    run.kept = [[i] for i in range(40_000)]

    def collect(number):
        with run.doing("collect"):
            gc.collect()

    return collect


def writes_checkpoint(run):
    path = run.directory / "checkpoint"

    def write(number):
        with run.doing("wait"):
            content = np.asarray(run.state)
        with open(path, "wb") as file:
            for _ in range(12):
                file.write(content.tobytes())
            file.flush()
            os.fsync(file.fileno())
        time.sleep(0.005)

    return write


def logs(run):
    logger = logging.Logger("training")
    logger.addHandler(logging.FileHandler(run.directory / "log"))

    def log(number):
        for line in range(400):
            logger.info("step %d line %d", number, line)
            print(number, line, file=sys.stderr if line < 0 else logger.handlers[0].stream)

    return log


def waits_for_lock(ms, name=None):
    """Another thread of the program holds the lock meanwhile, in the annotation."""

    def made(run):
        asked, held, lock = threading.Semaphore(0), threading.Semaphore(0), threading.Lock()

        def hold():
            while True:
                asked.acquire()
                if run.over:
                    return
                with lock, maybe_named(name):
                    held.release()
                    time.sleep(ms / 1000)

        run.over = False
        run.threads.append(threading.Thread(target=hold))

        def end():
            run.over = True
            asked.release()

        run.endings.append(end)

        def wait(number):
            asked.release()
            held.acquire()
            with lock:
                pass

        return wait

    return made


# Input of others.


def batch_of(name, ms, put):
    with maybe_named(name):
        time.sleep(ms / 1000)
        batch = np.full((400, 400), 0.01, np.float32)
    return jax.device_put(batch).block_until_ready() if put else batch


def takes_from_queue(name, ms, ahead=1, put=False, workers=1):
    """Threads load `ahead` batches."""

    def made(run):
        batches = queue.Queue(ahead)
        over = threading.Event()

        def load():
            while not over.is_set():
                batch = batch_of(name, ms, put)
                batches.put(batch)

        threads = [threading.Thread(target=load) for _ in range(workers)]
        run.threads += threads

        def end():
            over.set()
            while any(thread.is_alive() for thread in threads):
                with contextlib.suppress(queue.Empty):
                    batches.get(timeout=0.001)

        run.endings.append(end)

        def take(number):
            with run.doing("input"):
                run.batch = batches.get()

        return take

    return made


def takes_future(name, ms):
    """The next batch is asked for when the last one is taken."""

    def made(run):
        pool = concurrent.futures.ThreadPoolExecutor(1)

        def load():
            return batch_of(name, ms, put=False)

        run.endings.append(pool.shutdown)
        future = None

        def take(number):
            nonlocal future
            with run.doing("input"):
                run.batch = (future or pool.submit(load)).result()
            future = pool.submit(load)

        return take

    return made


def reads_pipe(ms):
    """Another process writes a batch a time."""
    program = (
        f"import sys, time\nwhile sys.stdin.buffer.read(1):\n time.sleep({ms / 1000})\n"
        " sys.stdout.buffer.write(bytes(40000)); sys.stdout.buffer.flush()"
    )

    def made(run):
        loader = subprocess.Popen(
            [sys.executable, "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

        def end():
            loader.stdin.close()
            reader.close()
            loader.wait()

        run.endings.append(end)
        reader = io.BufferedReader(loader.stdout)

        def read(number):
            with run.doing("input"):
                loader.stdin.write(b"n")
                run.host_batch = np.frombuffer(reader.read(40000), np.uint8)

        read(0)
        run.spans.clear()
        return read

    return made


def load_batch(ms):
    time.sleep(ms / 1000)


def calls_loader(ms):
    """A function with a name, which only the Python tracer sees."""

    def made(run):
        def load(number):
            with run.doing("input"):
                load_batch(ms)

        return load

    return made


def takes_from_generator(ms):
    def made(run):
        def batches():
            while True:
                time.sleep(ms / 1000)
                yield run.batch

        source = batches()

        def take(number):
            with run.doing("input"):
                run.batch = next(source)

        return take

    return made


def puts(megabytes, count=1, columns=False):
    """Brings big arrays to the device and waits until they are there; of `columns` JAX copies in the call itself."""

    def made(run):
        content = np.ones(megabytes * (1 << 20) + 64, np.uint8)
        start = (4 - content.ctypes.data) % 64  # no device can use it where it is
        big = content[start : start - 64].view(np.float32).reshape(megabytes, -1)
        big = big.T if columns else big

        def put(number):
            with run.doing("transfer"):
                for _ in range(count):
                    run.big = jax.device_put(big)
                    run.big.block_until_ready()

        return put

    return made


# Compilation.


def calls_with_another_shape(run):
    def call(number):
        with run.doing("compile"):
            run.loss = any_shape(np.ones(100 + number, np.float32))

    return call


def compiles_ahead(run):
    def compile_it(number):
        with run.doing("compile"):
            jax.jit(lambda x: jnp.sort(jnp.tanh(x) + number)).lower(run.state).compile()

    return compile_it


# Callbacks into Python.


def calls_back(kind, ms):
    def made(run):
        def slow(*values):
            begin = now()
            time.sleep(ms / 1000)
            run.callbacks.append((begin, now()))
            return np.float32(0)

        shape = jax.ShapeDtypeStruct((), np.float32)

        @jax.jit
        def step(state, batch):
            state = jnp.tanh(state @ batch)
            if kind == "debug":
                jax.debug.callback(slow, state[0, 0])
                return jnp.tanh(state @ batch)
            call = jax.pure_callback if kind == "pure" else io_callback
            return jnp.tanh(state @ batch) + call(slow, shape, state[0, 0])

        function = calls(step)(run)
        jax.effects_barrier()
        run.callbacks.clear()
        return function

    return made


# Evaluations, outside of the steps.


def evaluates(series, marks=jax.profiler.StepTraceAnnotation, ms=0, times=1, device=0):
    """`marks`: how the program names it; None: not at all."""

    def made(run):
        model = jax.device_put(run.state, jax.devices()[device])
        evaluate_model(model).block_until_ready()

        def evaluate(number):
            begin = now()
            arguments = {"step_num": number} if marks is jax.profiler.StepTraceAnnotation else {}
            with marks(series, **arguments) if marks else contextlib.nullcontext():
                if ms:
                    time.sleep(ms / 1000)
                for _ in range(times):
                    evaluate_model(model).block_until_ready()
            run.evaluations.append((series, begin, now()))

        return evaluate

    return made


# Other models.


def beside_another_model(run):
    """A thread of the program runs another model all the time."""
    over = threading.Event()

    def act():
        x = jnp.ones((200, 200))
        while not over.is_set():
            layer(x, x).block_until_ready()
            time.sleep(0.002)

    layer(jnp.ones((200, 200)), jnp.ones((200, 200))).block_until_ready()
    run.threads.append(threading.Thread(target=act))
    run.endings.append(over.set)
    return lambda number: None
