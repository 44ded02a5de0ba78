"""view.py CAPTURE...: how long `gait view` takes to answer what the page asks first, without a browser.

For each capture: from the start of the command to the list of runs, the overview, the tree of tracks, the first picture
of the timeline (all tracks over the whole capture, 1440 pixels), and 200 pictures while panning and zooming; bytes sent
as they go over the wire, and the peak memory of the server.
"""

import json
import random
import resource
import sys
import time
from pathlib import Path

from viewer_client import Client, Server, leaves, picture


def measure(capture: Path) -> None:
    start = time.monotonic()
    with Server(capture) as server:
        client = Client(server)

        def step(what: str) -> None:
            print(f"  {what:<34}{(time.monotonic() - start) * 1e3:>9.0f} ms", flush=True)

        run = json.loads(client.get("/api/runs"))["runs"][0]["id"]
        step("list of runs")
        client.get(f"/api/runs/{run}/overview")
        step("overview")
        tree = json.loads(client.get(f"/api/runs/{run}/tracks"))
        step("tracks")
        begin, end = tree["span"]
        tracks = ",".join(str(t["track"]) for t in leaves(tree["tree"]) if not t.get("pending"))
        size = len(client.get(picture(run, tracks, begin, end - begin)))
        step(f"first picture, {size / 1e3:.0f} kB")
        json.loads(client.get(f"/api/runs/{run}/tracks?derived=1"))
        step("derived tracks")
        rng = random.Random(1)
        times = []
        for _ in range(200):
            width = int((end - begin) / 2 ** rng.uniform(0, 16))
            at = begin + rng.randrange(max(end - begin - width, 1))
            before = time.monotonic()
            client.get(picture(run, tracks, at, width))
            times.append((time.monotonic() - before) * 1e3)
        times.sort()
        print(
            f"  200 pictures: median {times[100]:.1f} ms, p95 {times[190]:.1f} ms, at most {times[-1]:.1f} ms"
        )
        print(f"  sent {client.bytes / 1e6:.1f} MB")


def main() -> None:
    for name in sys.argv[1:]:
        print(f"{Path(name).name}: gait view")
        measure(Path(name))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"  peak memory of the server {peak / 1e3:.0f} MB")


main()
