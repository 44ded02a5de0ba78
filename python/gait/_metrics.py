"""Device metrics through a capture: sampled on a native thread, kept as counters in the capture itself."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gait import _facts, _native

INTERVAL = 0.1  # seconds


def visible_gpus(environ: Mapping[str, str], count: int) -> list[str]:
    """The GPUs that the program sees, as the driver's library names them: indices or UUIDs, in the program's order."""
    listed = environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return [str(i) for i in range(count)]
    made = []
    for word in listed.split(","):
        word = word.strip()
        if not word or word == "-1":  # as CUDA does: nothing behind it counts
            break
        made.append(word)
    return made[:count]


def start() -> _native.MetricSampler:
    """Samples until the sampler is stopped. Costs one look at the driver each INTERVAL, on another thread."""
    gpus = [d for d in _facts.devices() if d["platform"] in ("gpu", "cuda")]
    return _native.MetricSampler(visible_gpus(os.environ, len(gpus)), INTERVAL)
