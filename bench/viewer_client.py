"""What the measurements of `gait view` share: the server as a process, a client of it, and the pictures it asks for."""

import http.client
import os
import re
import subprocess
from pathlib import Path

GAIT = Path(__file__).resolve().parent.parent / "build" / "bin" / "gait"
PIXELS = 1440


class Server:
    """`gait view` on a free port; ends with the block."""

    def __init__(self, capture: Path, *options: str) -> None:
        command = [GAIT, "view", capture, "--port", "0", "--no-browser", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        port, self.token = re.search(r":(\d+)/\?token=(\w+)", self.process.stdout.readline()).groups()
        self.port = int(port)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def memory(self, what: str) -> int:
        """Bytes of a line of /proc/PID/status: RssAnon, VmHWM."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s*(\d+) kB", status)[1]) * 1024

    def processor_time(self) -> float:
        """Seconds, of all its threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client:
    def __init__(self, server: Server) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        self.headers = {"Authorization": f"Bearer {server.token}"}
        self.bytes = 0

    def get(self, path: str) -> bytes:
        self.connection.request("GET", path, headers=self.headers)
        reply = self.connection.getresponse()
        body = reply.read()
        self.bytes += len(body)
        if reply.status != 200:
            raise RuntimeError(f"{path}: {reply.status} {body[:200]!r}")
        return body


def leaves(tree: list[dict]) -> list[dict]:
    return [t for node in tree for t in ([node] if node["kind"] == "track" else leaves(node["children"]))]


def picture(run: str, tracks: str, begin: int, width: int) -> str:
    """The address of a part of the timeline on so many pixels."""
    level = max(int(width / PIXELS).bit_length() - 1, 0)
    buckets = min((width >> level) + 1, 8192)
    return f"/api/runs/{run}/tile?tracks={tracks}&level={level}&first={begin >> level}&buckets={buckets}"
