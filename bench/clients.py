"""clients.py CAPTURE [--seconds 20]: thirty clients of one `gait view` on one capture, slow ones among them.

Twenty-two pan and zoom: a picture of all tracks four times a second each, as a person does with the mouse held down.
One goes from step to step on Overview, one searches, which makes the server hold more. Three read a large answer byte
by byte, three ask for it and read nothing. Prints how long the pictures took, and the server's memory and budget.
"""

import argparse
import contextlib
import json
import os
import random
import socket
import statistics
import threading
import time
from pathlib import Path

from viewer_client import Client, Server, leaves, picture

PANNING = 22
BETWEEN_S = 0.25
THINKING_S = 1  # before the next selection or search


class Crowd:
    def __init__(self, server: Server, seconds: float) -> None:
        self.server = server
        self.end = time.monotonic() + seconds
        self.times: list[float] = []  # of pictures, ms
        self.failures: list[str] = []
        client = Client(server)
        self.run = json.loads(client.get("/api/runs"))["runs"][0]["id"]
        self.api = f"/api/runs/{self.run}"
        tree = json.loads(client.get(f"{self.api}/tracks?derived=1"))
        self.begin, self.last = tree["span"]
        self.tracks = ",".join(str(track["track"]) for track in leaves(tree["tree"]))
        client.get(picture(self.run, self.tracks, self.begin, self.last - self.begin))

    def over(self) -> bool:
        return time.monotonic() > self.end

    def pan(self, seed: int) -> None:
        rng = random.Random(seed)
        client = Client(self.server)
        time.sleep(rng.uniform(0, BETWEEN_S))
        while not self.over():
            width = int((self.last - self.begin) / 2 ** rng.uniform(0, 12))
            at = self.begin + rng.randrange(max(self.last - self.begin - width, 1))
            before = time.monotonic()
            client.get(picture(self.run, self.tracks, at, width))
            took = time.monotonic() - before
            self.times.append(took * 1e3)
            time.sleep(max(BETWEEN_S - took, 0))

    def select(self, _: int) -> None:
        client = Client(self.server)
        step = 1
        while not self.over():
            with contextlib.suppress(RuntimeError):  # fewer steps than that
                client.get(f"{self.api}/overview?steps={step}:{step + 3}")
            step += 1
            time.sleep(THINKING_S)

    def search(self, seed: int) -> None:
        client = Client(self.server)
        rng = random.Random(seed)
        while not self.over():
            client.get(f"{self.api}/search?q={rng.choice('aeiou')}{rng.randrange(10)}")
            time.sleep(THINKING_S)

    def read_slowly(self, _: int, bytes_at_a_time: int = 1) -> None:
        """Also after the server has given it up, which it does when nothing is taken for 20 s."""
        head = f"GET {self.api}/dump?limit=100000 HTTP/1.1\r\nHost: localhost\r\n"
        head += f"Authorization: Bearer {self.server.token}\r\n\r\n"
        while not self.over():
            with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.sendall(head.encode())
                connection.settimeout(1)
                while not self.over():
                    time.sleep(0.01)
                    with contextlib.suppress(TimeoutError):
                        if bytes_at_a_time and not connection.recv(bytes_at_a_time):
                            break

    def read_nothing(self, seed: int) -> None:
        self.read_slowly(seed, 0)

    def start(self) -> None:
        work = [self.pan] * PANNING + [self.select, self.search]
        work += [self.read_slowly] * 3 + [self.read_nothing] * 3

        def safely(do, seed: int) -> None:
            try:
                do(seed)
            except Exception as error:  # one that fails is told, and no reason to stop the others
                self.failures.append(f"{do.__name__}: {error!r}")

        threads = [threading.Thread(target=safely, args=(do, seed)) for seed, do in enumerate(work)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description="thirty clients of one viewer")
    parser.add_argument("capture", type=Path)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--memory", type=int, help="the server's budget, MB; a quarter of the machine's")
    args = parser.parse_args()
    budget = (
        args.memory * 1e6 if args.memory else os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 4
    )
    with Server(args.capture, *(["--memory", str(args.memory)] if args.memory else [])) as server:
        crowd = Crowd(server, args.seconds)
        crowd.end = time.monotonic() + args.seconds
        opened = server.memory("RssAnon")
        worked = server.processor_time()
        crowd.start()
        worked = server.processor_time() - worked
        times = sorted(crowd.times)
        held, peak = server.memory("RssAnon"), server.memory("VmHWM")
    cut = statistics.quantiles(times, n=100)
    print(f"  30 clients for {args.seconds:.0f} s, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        f"  {len(times)} pictures: p50 {cut[49]:.1f} ms, p99 {cut[98]:.1f} ms, at most {times[-1]:.1f} ms; "
        f"{len(times) / args.seconds:.0f} a second, with {worked:.1f} s of the server's processor time"
    )
    print(
        f"  memory of the server: {opened / 1e6:.0f} MB with the run open, {held / 1e6:.0f} MB at the end, "
        f"{peak / 1e6:.0f} MB at most with the file's pages; its budget is {budget / 1e6:.0f} MB"
    )
    for failure in crowd.failures:
        print(f"  failed: {failure}")


main()
