"""The command-line options of its training program."""

from __future__ import annotations

import argparse
import os
from typing import Any

from gait.compat.efficientids._profiler import Profiler

START_STEP = 150  # compiling and warming up are over by then
NUM_STEPS = 5


def _start_step(text: str) -> int | None:
    if text.lower() in ("none", "never", "manual"):
        return None
    step = int(text)
    if step < 0:
        raise argparse.ArgumentTypeError("a step is at least 0; none waits for capture_async()")
    return step


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least 1 step is profiled")
    return count


def add_profiling_arguments(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """--enable_profiling, --profiler_start_step and --profiler_num_steps."""
    group = parser.add_argument_group("profiling")
    group.add_argument("--enable_profiling", action="store_true", help="profile some steps of the training")
    group.add_argument(
        "--profiler_start_step",
        type=_start_step,
        default=START_STEP,
        metavar="N",
        help=f"the first of them, {START_STEP} by default; none: only profiler.capture_async() starts one",
    )
    group.add_argument(
        "--profiler_num_steps",
        type=_count,
        default=NUM_STEPS,
        metavar="N",
        help=f"how many, {NUM_STEPS} by default",
    )
    return parser


def profiler_from_args(
    args: argparse.Namespace, checkpoint_dir: str | os.PathLike[str] = ".", flop_counter: Any = None
) -> Profiler | None:
    """The Profiler that the options ask for, into <checkpoint_dir>/profiler_traces; None without them."""
    if not args.enable_profiling:
        return None
    return Profiler(
        num_steps=args.profiler_num_steps,
        log_dir=os.path.join(checkpoint_dir, "profiler_traces"),
        auto_enable_at_step=args.profiler_start_step,
        flop_counter=flop_counter,
    )
