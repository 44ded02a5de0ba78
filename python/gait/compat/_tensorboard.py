"""python -m gait.compat._tensorboard ...: TensorBoard, also on Pythons that lack a module which it imports."""

from __future__ import annotations

import importlib.util
import sys
import types

_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"BM": "bmp"}


def _what(file: object, h: bytes | None = None) -> str | None:
    """imghdr.what: the kind of an image, from its first bytes."""
    if h is None:
        with open(file, "rb") as opened:  # type: ignore[call-overload]
            h = opened.read(32)
    return next((kind for start, kind in _SIGNATURES.items() if h.startswith(start)), None)


def main() -> None:
    if importlib.util.find_spec("imghdr") is None:  # gone since Python 3.13
        module = types.ModuleType("imghdr")
        module.what = _what  # type: ignore[attr-defined]
        sys.modules["imghdr"] = module
    from tensorboard.main import run_main

    run_main()


if __name__ == "__main__":
    main()
