"""All pairs, by rule."""

import capture_pairs  # noqa: F401
import device_pairs  # noqa: F401
import host_pairs  # noqa: F401
import memory_pairs  # noqa: F401
import several_devices  # noqa: F401
import two_processes  # noqa: F401
from registry import PAIRS

__all__ = ["PAIRS"]
