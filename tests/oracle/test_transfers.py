"""Transfers computed slowly from the definition over the reference reading."""
# ruff: noqa: N802  (tests are called after rows of the list of promises)

from collections import Counter, defaultdict

import pytest
import xplane
from conftest import DATA, H200_CAPTURES, skip_other
from test_collectives import read_programs
from windows import covered, read, unpacked, windows_of

COPIES = ("Memcpy", "Memset", "memcpy32", "memset32", "__amd_rocclr_copy", "__amd_rocclr_fill")
HOST_MEMORY, DEVICE_MEMORY = {"pageable", "pinned"}, {"device", "device_static", "array"}
BY_NAME = {
    "H2D": "host to device",
    "HtoD": "host to device",
    "D2H": "device to host",
    "DtoH": "device to host",
    "D2D": "device to device",
    "DtoD": "device to device",
    "P2P": "to another device",
    "memcpy32": "device to device",  # kernels that CUDA runs for copies on one device
    "memcpy128": "device to device",
}


@pytest.fixture(scope="module")
def document(gait, capture) -> dict:
    return gait.document("transfers", capture)


def details(args: dict) -> dict[str, str]:
    text = args.get("memcpy_details") or args.get("Memset_details") or ""
    return dict(item.split(":", 1) for item in text.split() if ":" in item)


def kind_of(names: list[str], known: dict[str, str]) -> str:
    if any("emset" in name for name in names):
        return "memset"
    source, destination = known.get("kind_src"), known.get("kind_dst")
    if source in HOST_MEMORY and destination in HOST_MEMORY:
        return "host to host"
    if source in HOST_MEMORY and destination in DEVICE_MEMORY:
        return "host to device"
    if source in DEVICE_MEMORY and destination in HOST_MEMORY:
        return "device to host"
    for name in names:
        for part, kind in BY_NAME.items():
            if part in name:
                return kind
    return "unknown"


class Gpus:
    """Copies and compute of the GPUs of a capture, those in the windows."""

    def __init__(self, gait, capture):
        space = read(capture)
        self.host = [
            (line, event)
            for p in space.planes
            if p.name.startswith("/host:")
            for line in p.lines
            for event in line.events
        ]
        self.thread_of = {id(event): line for line, event in self.host}
        self.calls = {}
        for _, event in self.host:
            key = dict(event.args).get("correlation_id")
            if key is not None and (key not in self.calls or event.begin < self.calls[key].begin):
                self.calls[key] = event
        work = []
        for plane in space.planes:
            if plane.name.startswith("/device:GPU:"):
                device = "GPU " + plane.name.rpartition(":")[2]
                for line in plane.lines:
                    if line.name.startswith("Stream #"):
                        work += [(device, event, dict(event.args)) for event in line.events]
        self.windows, self.steps = windows_of(gait, capture)
        if not self.windows and work:
            begin = min(e.begin for _, e, _ in work if e.duration)
            end = max(e.begin + e.duration for _, e, _ in work)
            self.windows = defaultdict(lambda: [(begin, end)])
        self.compute, self.copies, self.all_copies = defaultdict(list), [], []
        for device, event, args in work:
            span = (event.begin, event.begin + event.duration)
            is_copy = event.name.startswith(COPIES) or bool(details(args))
            if not is_copy and "hlo_op" in args and not event.name.startswith("nccl"):
                self.compute[device].append(span)
            if is_copy:
                self.all_copies.append((event, args))
            parts = [(max(span[0], b), min(span[1], e)) for b, e in self.windows[device]]
            parts = [(b, e) for b, e in parts if b < e]
            if is_copy and parts:
                self.copies.append((device, event, args, parts))

    def kind(self, event: xplane.Event, args: dict) -> str:
        call = self.calls.get(args.get("correlation_id"))
        return kind_of([event.name, *([call.name] if call else [])], details(args))

    def bytes(self, args: dict) -> int | None:
        for source in (args, dict(getattr(self.calls.get(args.get("correlation_id")), "args", []))):
            known = details(source)
            size = int(known.get("size") or known.get("num_bytes") or 0)
            if size > 0:
                return size
        return None


def union(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def overlap(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> int:
    """Length of what two lists of intervals share: the lengths of both less the length of all."""
    return covered(a) + covered(b) - covered(a + b)


@pytest.fixture(scope="module")
def gpus(gait, capture) -> Gpus:
    found = Gpus(gait, capture)
    if not found.all_copies:
        skip_other(capture, H200_CAPTURES, "no copies of a GPU in this capture")
    return found


def test_seed_B9_copies_equal_the_definition(gait, document, gpus):
    expected = defaultdict(list)
    for device, event, args, parts in gpus.copies:
        expected[gpus.kind(event, args), "programs" if "hlo_op" in args else "host"].append(
            (device, event, args, parts)
        )
    rows = {(row["kind"], row["place"]): row for row in gait.rows(document, "transfers")}
    assert rows.keys() == expected.keys()
    for key, items in expected.items():
        row = rows[key]
        sizes = [gpus.bytes(args) for _, _, args, _ in items]
        known = [size for size in sizes if size is not None]
        assert row["count"] == len(items)
        assert row["bytes"] == (sum(known) if known else None)
        assert row["without_bytes"] == len(sizes) - len(known)
        by_device = defaultdict(list)
        for device, _, _, parts in items:
            by_device[device] += parts
        assert row["total"] == sum(e - b for parts in by_device.values() for b, e in parts)
        assert row["time"] == sum(covered(parts) for parts in by_device.values())
        assert row["hidden_time"] == sum(overlap(p, union(gpus.compute[d])) for d, p in by_device.items())
        timed = sum(event.duration for (_, event, _, _), size in zip(items, sizes, strict=True) if size)
        if known:
            assert row["rate"] == pytest.approx(sum(known) / (timed * 1e-12))
        for memory in ("pinned", "pageable"):
            text = [a.get("memcpy_details", "") for _, _, a, _ in items]
            assert row[memory] == sum(
                f"_src:{memory}" in t or (f"_dst:{memory}" in t and "_src:p" not in t) for t in text
            )


def test_seed_C9_sites_sum_to_the_kinds(gait, document):
    sites = gait.rows(document, "transfer_sites") + gait.rows(document, "memset_sites")
    kinds = gait.rows(document, "transfers")
    for name in ("count", "total", "staged", "pinned", "pageable", "without_bytes"):
        assert sum(s[name] for s in sites) == sum(k[name] for k in kinds), name
    for row in kinds + sites:
        assert row["hidden_time"] <= row["time"] <= row["total"]
    if not kinds:
        assert document["answer"].startswith("No transfers")


# Of the programs of the captures: the file that people wrote, and frames of JAX that only pass a call on.
USER_FRAME = "$train.py:"
PASSES_ON = ("reraise_with_filtered_traceback", "cache_miss", "__call__")


def end_of(event: xplane.Event) -> int:
    return event.begin + event.duration


class Askers:
    """Which event of the host asked for each copy, by the rules of docs/metrics/staging.md."""

    def __init__(self, gpus: Gpus):
        self.gpus = gpus
        self.events = defaultdict(list)  # by thread
        self.around = {}  # by event: those that contain it, the outermost first
        self.begun: dict[tuple, xplane.Event] = {}  # by flow: what began it
        running_on = defaultdict(list)
        for line, event in sorted(gpus.host, key=lambda item: (item[1].begin, -item[1].duration)):
            running = [e for e in running_on[id(line)] if end_of(e) > event.begin]
            self.around[id(event)] = [e for e in running if end_of(e) >= end_of(event)]
            running_on[id(line)] = [*running, event]
            self.events[id(line)].append(event)
            args = dict(event.args)
            if "_p" in args:
                self.begun.setdefault((args.get("_pt", 0), args["_p"]), event)
        self.beginning = {id(e): begun for _, e in gpus.host if (begun := self.find_beginning(e))}
        self.continuing = [e for _, e in gpus.host if id(e) in self.beginning]
        self.asker: dict[int, xplane.Event] = {}  # by copy
        self.explains: list[tuple[xplane.Event, str]] = []  # what continues a flow, and the kind of its copy
        copies = [(e, a) for e, a in gpus.all_copies if "hlo_op" not in a and self.call(a)]
        copies.sort(key=lambda item: self.call(item[1]).begin)
        for find in (self.on_the_thread, self.across_threads, self.in_order):
            find([(event, args) for event, args in copies if id(event) not in self.asker])

    def call(self, args: dict) -> xplane.Event | None:
        return self.gpus.calls.get(args.get("correlation_id"))

    def find_beginning(self, event: xplane.Event) -> xplane.Event | None:
        """What began the flow that the event continues."""
        args = dict(event.args)
        first = self.begun.get((args.get("_ct", 0), args.get("_c")))
        return first if first and first is not event and first.begin <= event.begin else None

    def thread(self, event: xplane.Event) -> list[xplane.Event]:
        return self.events[id(self.gpus.thread_of[id(event)])]

    def explain(self, copy: xplane.Event, kind: str, by: xplane.Event) -> None:
        self.asker[id(copy)] = self.beginning[id(by)]
        self.explains.append((by, kind))

    def free(self, events: list[xplane.Event], before: xplane.Event) -> list[xplane.Event]:
        """Those that had ended before a call and explain no copy yet."""
        taken = {id(event) for event, _ in self.explains}
        return [e for e in events if end_of(e) <= before.begin and id(e) not in taken]

    def on_the_thread(self, copies: list) -> None:
        for event, args in copies:
            call, kind = self.call(args), self.gpus.kind(event, args)
            if around := self.around[id(call)]:
                flows = [e for e in around if id(e) in self.beginning]
                if flows:
                    self.explain(event, kind, flows[-1])
                else:
                    self.asker[id(event)] = call
                continue
            last = [e for e in self.thread(call) if id(e) in self.beginning and end_of(e) <= call.begin][-1:]
            if self.free(last, call):
                self.explain(event, kind, last[0])

    def across_threads(self, copies: list) -> None:
        names = {(event.name, kind) for event, kind in self.explains}
        for event, args in copies:
            call, kind = self.call(args), self.gpus.kind(event, args)
            same = [e for e in self.continuing if (e.name, kind) in names]
            if free := self.free(same, call):
                self.explain(event, kind, max(free, key=end_of))

    def in_order(self, copies: list) -> None:
        copies = [(e, a) for e, a in copies if self.gpus.kind(e, a) == "host to device"]
        continued = {id(outer) for e in self.asker.values() for outer in (e, *self.around[id(e)])}
        hands_over = [e for _, e in self.gpus.host if "BufferFromHost" in e.name and id(e) not in continued]
        outermost = [e for e in hands_over if not any("BufferFromHost" in o.name for o in self.around[id(e)])]
        outermost.sort(key=lambda e: e.begin)
        if len(outermost) == len(copies) and all(
            ask.begin <= self.call(args).begin for ask, (_, args) in zip(outermost, copies, strict=True)
        ):
            self.asker |= {id(event): ask for ask, (event, _) in zip(outermost, copies, strict=True)}

    def describe(self, copy: xplane.Event) -> tuple[str | None, str | None, str | None]:
        """The outermost annotation or call around what asked, the user's line, and what that called."""
        asker = self.asker.get(id(copy))
        stack = [*self.around[id(asker)], asker] if asker else []
        asked_by = [e.name for e in stack if not e.name.startswith("$") and "step_num" not in dict(e.args)]
        frames = [e.name for e in stack if e.name.startswith("$")]
        own = max((i for i, name in enumerate(frames) if name.startswith(USER_FRAME)), default=None)
        if own is None:
            return next(iter(asked_by), None), None, None
        called = [name.split(" ", 1)[1] for name in frames[own + 1 :] if not name.endswith(PASSES_ON)]
        return next(iter(asked_by), None), frames[own][1:], next(iter(called), None)


def test_who_asked_for_copies_equals_the_definition(gait, document, capture, gpus):
    askers, programs = Askers(gpus), read_programs(unpacked(capture))
    expected, in_graphs = Counter(), Counter()
    for _, event, args, _ in gpus.copies:
        copy = (gpus.kind(event, args), gpus.bytes(args))
        if "hlo_op" not in args:
            expected[*copy, None, None, *askers.describe(event)] += 1
        elif args["hlo_op"].startswith("command_buffer"):
            in_graphs[copy] += 1
        else:
            program = programs.get(args.get("program_id"))
            scope = (program.scopes[args["hlo_op"]] or None) if program else None
            expected[*copy, f"{args['hlo_module']}/{args['hlo_op']}", scope, None, None, None] += 1
    found = Counter()
    for row in gait.rows(document, "transfer_sites") + gait.rows(document, "memset_sites"):
        place = ("kind", "size", "operation", "scope", "asked_by", "python", "function")
        found[tuple(row[name] for name in place)] += row["count"]
    # What is left are the nodes of graphs, whose operations only their positions tell.
    assert not expected - found
    for (kind, size, *_), count in (found - expected).items():
        in_graphs[kind, size] -= count
    assert not any(in_graphs.values())


def in_order(gpus: Gpus, name: str) -> tuple[int, int]:
    """Staging and count of the copies to the device, the n-th of which belongs to the n-th event of a name."""
    copies = [(e, a) for e, a in gpus.all_copies if gpus.kind(e, a) == "host to device" and "hlo_op" not in a]
    copies.sort(key=lambda item: item[0].begin)
    stagings = sorted((e for _, e in gpus.host if e.name == name), key=lambda e: e.begin)
    assert len(copies) == len(stagings)
    counted = {id(event) for _, event, _, _ in gpus.copies}
    durations = [s.duration for (event, _), s in zip(copies, stagings, strict=True) if id(event) in counted]
    return sum(durations), len(durations)


@pytest.mark.parametrize(
    ("capture_name", "name"),
    [
        ("transfers", "H2D Dispatch"),
        ("gpt", "H2D Dispatch"),
        ("gpt_without_graphs", "H2D Dispatch"),
        ("starved", "H2D Dispatch"),
        ("eager", "CommonPjRtClient::LinearizeIntoImpl"),
    ],
)
def test_seed_D4_staging_of_copies_to_the_device(gait, capture_name, name):
    path = DATA / "h200" / f"{capture_name}.xplane.pb.gz"
    rows = gait.rows(gait.document("transfers", path), "transfers")
    (row,) = [r for r in rows if r["kind"] == "host to device"]
    assert (row["staging"], row["staged"]) == in_order(Gpus(gait, path), name)


def test_seed_A8_transfer_efficiency(gait):
    """Known truth: 26 ms of staging by one thread, for a copy of 4.8 ms, beside 0.07 ms of compute."""
    document = gait.document("transfers", DATA / "h200" / "transfers.xplane.pb.gz")
    first, *others = gait.rows(document, "transfer_sites")
    assert (first["kind"], first["size"], first["count"]) == ("host to device", 268_435_456, 5)
    assert first["memory"] == "pinned"
    assert 25e9 < first["staging_per_step"] < 28e9
    assert 4.7e9 < first["time_per_step"] < 4.9e9
    assert 55e9 < first["rate"] < 56e9
    assert 9.5e9 < first["staging_rate"] < 10.5e9
    assert first["staging_work"] == "H2D Dispatch → Transpose::Execute"
    assert (first["function"], first["python"]) == ("device_put", "train.py:104 tr")
    assert first["every_step"] == "yes"
    assert document["answer"].startswith("In each step one host thread spends 26.7 ms staging 256 MiB")
    assert "computes for 65.2 µs a step" in document["answer"]
    assert {row["kind"] for row in others} == {"host to device", "device to host", "device to device"}
    assert all(row["python"] == "train.py:104 tr" for row in others if row["in_program"] == "no")
