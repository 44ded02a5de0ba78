"""python -m gait.compat._tensorboard ...: TensorBoard behind a token, also on Pythons that lack a module of it."""

from __future__ import annotations

import importlib.util
import os
import sys
import types

from gait import _guard
from gait.compat._token_wall import TOKEN_VARIABLE, TokenWall

_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"BM": "bmp"}


def _what(file: object, h: bytes | None = None) -> str | None:
    """imghdr.what: the kind of an image, from its first bytes."""
    if h is None:
        with open(file, "rb") as opened:  # type: ignore[call-overload]
            h = opened.read(32)
    return next((kind for start, kind in _SIGNATURES.items() if h.startswith(start)), None)


def _run_guarded(token: str) -> int:
    """As tensorboard.main does it, with a server that takes no request without the token and says it in its address.
    The server is an argument: where TensorBoard takes none, it fails here and serves nobody."""
    from tensorboard import default, main_lib, program
    from tensorboard.plugins import base_plugin

    class Guarded(program.WerkzeugServer):  # type: ignore[misc, name-defined]
        def __init__(self, wsgi_app, flags):  # type: ignore[no-untyped-def]
            on_loopback = not flags.bind_all and _guard.is_loopback(flags.host or "localhost")
            super().__init__(TokenWall(wsgi_app, token, on_loopback), flags)

        def get_url(self) -> str:
            return f"{super().get_url()}?token={token}"

    main_lib.global_init()
    tensorboard = program.TensorBoard(
        plugins=default.get_plugins(), server_class=program.with_port_scanning(Guarded)
    )
    try:
        # Its reader of scalars would be a server of its own, which lets everybody in.
        tensorboard.configure([*sys.argv, "--load_fast", "false"])
    except base_plugin.FlagsError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return int(tensorboard.main() or 0)


def main() -> None:
    if importlib.util.find_spec("imghdr") is None:  # gone since Python 3.13
        module = types.ModuleType("imghdr")
        module.what = _what  # type: ignore[attr-defined]
        sys.modules["imghdr"] = module
    token = os.environ.pop(TOKEN_VARIABLE, "")
    if token:
        sys.exit(_run_guarded(token))
    from tensorboard.main import run_main

    run_main()


if __name__ == "__main__":
    main()
