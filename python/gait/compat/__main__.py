"""python -m gait.compat [PROJECT]: how to switch a program to gait by changing an import."""

from __future__ import annotations

import argparse
import importlib
import sys
import textwrap

from gait.compat._lines import tell

SWITCH = {
    "supergrad": (
        "SuperGrad",
        ["from jax_profiler_utils import ...", "from gait.compat.supergrad import ..."],
        ["python test_unified_profiler.py", "python -m gait.compat.supergrad SCRIPT --gpus 1 2 4 8"],
    ),
    "ueaj": (
        "MacroGPT-JAX",
        ["from ueaj.utils import profile_trace, ...", "from gait.compat.ueaj import profile_trace, ..."],
        [
            "PROFILE_ENABLED=1 python train.py",
            "the same; or unmodified: PROFILE_ENABLED=1 gait run -- python train.py",
        ],
    ),
    "efficientids": (
        "EfficientIDS",
        ["from train.profiler import Profiler, ProfileContext", "from gait.compat.efficientids import ..."],
        ["from train.flop_counter import FLOPCounter", "from gait.compat.efficientids import FLOPCounter"],
        ["from profiling_schema import create_unified_result", "from gait.compat.efficientids import ..."],
        ["python analyze_profile_tpu.py ...", "python -m gait.compat.efficientids.analyze ..."],
        ["python compare_profiles.py ...", "python -m gait.compat.efficientids.compare ..."],
    ),
    "xax": (
        "XAX",
        ["from xax.utils.profiling import annotate, ...", "from gait.compat.xax import annotate, ..."],
        ["class Task(xax.ProfilerMixin)", "class Task(gait.compat.xax.ProfilerMixin)"],
        ["python -m xax.examples.profiling.view_profile ...", "python -m gait.view ..."],
    ),
}


def _about(module: str) -> str:
    """What the module's own documentation says of the differences."""
    text = importlib.import_module(f"gait.compat.{module}").__doc__ or ""
    return text.partition("What is different:")[2].strip().partition("\n\n")[0]


def show(module: str) -> None:
    name, *changes = SWITCH[module]
    tell(f"{name}")
    for before, after in changes:
        tell(f"  - {before}")
        tell(f"  + {after}")
    tell("  What is different:")
    for part in " ".join(_about(module).split()).rstrip(".").split("; "):
        tell(textwrap.fill(part, 78, initial_indent="  * ", subsequent_indent="    "))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m gait.compat", description=__doc__)
    parser.add_argument("project", nargs="*", metavar="PROJECT", help=", ".join(SWITCH))
    args = parser.parse_args(arguments)
    for project in args.project:
        if project not in SWITCH:
            parser.error(f"there is no {project}; there are {', '.join(SWITCH)}")
    for number, module in enumerate(args.project or SWITCH):
        if number:
            tell()
        show(module)
    return 0


if __name__ == "__main__":
    sys.exit(main())
