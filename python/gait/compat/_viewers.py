"""Programs that show captures: TensorBoard, Perfetto in a browser, gait itself. None of them stops the caller."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import urllib.parse
from pathlib import Path
from typing import Any

from gait import _guard
from gait._bounded_server import BoundedHandler, BoundedServer
from gait._messages import GaitError, stderr_of_children
from gait._open import open_run
from gait.compat._token_wall import TOKEN_VARIABLE

PERFETTO = "https://ui.perfetto.dev"
PERFETTO_PORT = 9001  # the only one that Perfetto's page may fetch from


def has_tensorboard() -> bool:
    return importlib.util.find_spec("tensorboard") is not None


def tensorboard_problem() -> str | None:
    """Why TensorBoard would not show a profile; None: it would."""
    if not has_tensorboard():
        return "TensorBoard is not installed: pip install tensorboard tensorboard-plugin-profile"
    if not any(importlib.util.find_spec(name) for name in ("tensorboard_plugin_profile", "xprof")):
        return "TensorBoard has no Profile tab without its plugin: pip install tensorboard-plugin-profile"
    return None


def start_tensorboard(
    logdir: str | os.PathLike[str],
    port: int | None = None,
    bind_all: bool = False,
    host: str | None = None,
    *,
    token: str,
) -> subprocess.Popen[bytes]:
    """TensorBoard in a process of its own, which answers those with the token; an empty one: everybody. It says where
    it is: without a port, at the first free one from 6006 on. GaitError when it is not installed."""
    if not has_tensorboard():
        raise GaitError(str(tensorboard_problem()))
    command = [sys.executable, "-m", "gait.compat._tensorboard", "--logdir", str(logdir)]
    if port is not None:
        command += ["--port", str(port)]
    where = ["--bind_all"] if bind_all else ["--host", host] if host else []
    return subprocess.Popen(
        command + where,
        stdin=subprocess.DEVNULL,
        stderr=stderr_of_children(),
        env={**os.environ, TOKEN_VARIABLE: token},  # everybody sees the arguments of a process
    )


def start_viewer(logdir: str | os.PathLike[str], run: str | os.PathLike[str]) -> subprocess.Popen[bytes]:
    """TensorBoard where it can show profiles, else gait's own viewer."""
    if tensorboard_problem() is None:
        return start_tensorboard(logdir, token=_guard.new_secret())
    return open_run(run)


class _OneFile(BoundedHandler):
    """Hands one trace to Perfetto's page, which has its secret path, and nothing to anybody else."""

    def __init__(self, file: Path, path: str, *args: Any, **kwargs: Any):
        self._file = file
        self._path = path
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:  # http.server's name
        wanted = _guard.is_secret(self.path, self._path)
        here = _guard.names_this_machine(self.headers.get_all("Host"))
        headers = {"Access-Control-Allow-Origin": PERFETTO, "Cache-Control": "no-store"}
        if not (wanted and here and self.send_file(self._file, headers)):
            self.answer(404, "text/plain", b"there is nothing of this name.\n")


class PerfettoServer:
    """Serves a trace on the loopback interface to whoever has `link`, which opens it in Perfetto."""

    def __init__(self, file: Path, port: int = PERFETTO_PORT):
        self._path = f"/{_guard.new_secret()}/{urllib.parse.quote(file.name)}"
        try:
            handler = functools.partial(_OneFile, file, self._path)
            self._server = BoundedServer(("127.0.0.1", port), handler)
        except OSError as error:
            raise GaitError(
                f"port {port}, which Perfetto's page reads from, cannot be had: {error.strerror}."
            ) from error

    @property
    def link(self) -> str:
        port = self._server.server_address[1]
        return f"{PERFETTO}/#!/?url=http://127.0.0.1:{port}{self._path}"

    def serve(self) -> None:
        """Until shutdown() from another thread, or an interrupt."""
        self._server.serve_forever(poll_interval=0.1)

    def close(self) -> None:
        self._server.server_close()

    def shutdown(self) -> None:
        self._server.shutdown()
