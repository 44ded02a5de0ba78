"""Python imports this at its start in a program under `gait run`, which puts this folder on PYTHONPATH."""

import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]

# The one that would have been found without us comes first.
_us = sys.modules.pop("sitecustomize", None)
try:
    importlib.import_module("sitecustomize")
except ImportError as _error:
    if _error.name != "sitecustomize":
        raise
finally:
    sys.modules.setdefault("sitecustomize", _us)  # who imports us wants to find a module of that name

try:
    if importlib.util.find_spec("gait") is None:  # another environment than the one gait is installed in
        sys.path.append(os.path.dirname(os.path.dirname(_here)))
    from gait import _launch
except ImportError as _error:
    if sys.stderr is not None:
        print(f"gait: the program runs without a capture: {_error}", file=sys.stderr)
else:
    _launch.install()
