"""CPU devices, which no capture has as planes: their operations, runs and steps, slowly from the definitions.

docs/formats/xplane.md says when an operation ends, docs/metrics/step_time.md which step it belongs to.
"""

import dataclasses
import functools
from collections import defaultdict
from pathlib import Path

import xplane
from conftest import skip_other

# Those of tests/data: an oracle that compares CPU captures compares them all.
CPU_CAPTURES = ("eight_devices", "one_device", "one_device_jax_0_10", "host0", "host1")
EXECUTE = "ThunkExecutor::Execute"
COMPLETION = "ThunkExecutor::Execute (wait for completion)"


@dataclasses.dataclass
class Operation:
    device: int
    program: int
    name: str
    run: int
    begin: int
    end: int
    contains: bool  # others that take time ran inside it on its thread: it is a loop, a branch or a call


def host_lines(space: xplane.Space) -> list[xplane.Line]:
    """The threads, of a capture in which no other device did anything; else none."""
    for plane in space.planes:
        if plane.name.startswith("/device:") and any(line.events for line in plane.lines):
            return []
    return [line for plane in space.planes if plane.name == "/host:CPU" for line in plane.lines]


def is_operation(event: xplane.Event) -> bool:
    return {"hlo_op", "device_ordinal"} <= {key for key, _ in event.args}


def is_end(event: xplane.Event) -> bool:
    return event.name.startswith("end: ") and "_c" in dict(event.args)


def tasks(line: xplane.Line) -> list[list[xplane.Event]]:
    """Of each task that a thread of the pool ran, the events that are inside no other, in order."""
    found: list[list[xplane.Event]] = []
    running, until = False, 0
    for event in sorted(line.events, key=lambda e: (e.begin, -e.duration)):
        if event.begin < until:
            continue
        until = event.begin + event.duration
        if event.name == "ThreadpoolListener::StartRegion":
            running = True
            found.append([])
        elif event.name == "ThreadpoolListener::StopRegion":
            running = False
        elif running:
            found[-1].append(event)
    return found


def continuations(space: xplane.Space) -> dict[int, int]:
    """By the flow of an operation that a task finished: where the task began to run what waited for it.

    It writes the operation's `end:` event after that, as the last one.
    """
    found = {}
    for line in host_lines(space):
        for task in tasks(line):
            ends = [event for event in task if is_end(event)]
            runs = [event.begin for event in task if is_operation(event) or event.name == EXECUTE]
            if ends and runs:
                found[dict(ends[-1].args)["_c"]] = runs[0]
    return found


def surrounds(line: xplane.Line, outer: xplane.Event) -> bool:
    """Other operations were launched inside of its event: a loop, a branch or a call."""
    return any(
        is_operation(event) and event is not outer and 0 <= event.begin - outer.begin < outer.duration
        for event in line.events
    )


def completions(space: xplane.Space) -> dict[tuple[int, int], int]:
    """By run and device: when the runtime had waited for all operations of the run."""
    found = {}
    for line in host_lines(space):
        for event in line.events:
            args = dict(event.args)
            if event.name == COMPLETION and "run_id" in args and "device_ordinal" in args:
                key = args["run_id"], args["device_ordinal"]
                found[key] = max(event.begin + event.duration, found.get(key, 0))
    return found


@functools.lru_cache(maxsize=2)  # as many as xplane.read keeps
def operations(space: xplane.Space) -> list[Operation]:
    """In order of begin.

    One ends where its `end:` event begins, but not after what waited for it began, nor after its run was complete.
    """
    ends = {}
    for line in host_lines(space):
        for event in line.events:
            if is_end(event):
                ends[dict(event.args)["_c"]] = event.begin
    continued = continuations(space)
    complete = completions(space)
    found = []
    for line in host_lines(space):
        around: list[tuple[int, Operation]] = []  # with the ends of their own events
        for event in sorted(line.events, key=lambda e: (e.begin, -e.duration)):
            if not is_operation(event):
                continue
            args = dict(event.args)
            run, device = args.get("run_id", 0), args["device_ordinal"]
            end = event.begin + event.duration
            flow = args.get("_p")
            marked = ends.get(flow, end)
            if flow in continued and not surrounds(line, event):
                marked = min(marked, continued[flow])
            if (run, device) in complete:
                marked = min(marked, complete[run, device])
            name, program = args["hlo_op"], args["program_id"]
            found.append(Operation(device, program, name, run, event.begin, max(end, marked), False))
            around = [(last, other) for last, other in around if last >= end and last > event.begin]
            for _, other in around:
                other.contains |= other.device == device and found[-1].end > event.begin
            around.append((end, found[-1]))
    return sorted(found, key=lambda o: (o.begin, -o.end))


def calls(space: xplane.Space) -> dict[int, tuple[int, int]]:
    """By run: begin and end of the host's call. Calls of a single device name no run: the n-th is the n-th run's."""
    named, unnamed = {}, []
    for line in host_lines(space):
        for event in line.events:
            args = dict(event.args)
            span = (event.begin, event.begin + event.duration)
            if event.name.endswith("::ExecuteHelperOnSingleDevice"):
                unnamed.append(span)
            elif "::Execute" in event.name and "run_id" in args and "device_ordinal" not in args:
                named[args["run_id"]] = min(span, named.get(args["run_id"], span))
    runs = list(dict.fromkeys(o.run for o in operations(space) if o.run not in named))
    if unnamed:
        assert len(runs) == len(unnamed), "runs of calls before the capture, or calls of runs after it"
        named |= dict(zip(runs, sorted(unnamed), strict=True))
    return named


def annotations(space: xplane.Space) -> list[tuple[int, int, int, str]]:
    """Begin, end, number and name of the steps, which must be of one name."""
    found = []
    for line in host_lines(space):
        for event in line.events:
            if "step_num" in dict(event.args):
                number = dict(event.args)["step_num"]
                found.append((event.begin, event.begin + event.duration, number, event.name))
    assert len({name for *_, name in found}) <= 1
    return sorted(found)


def gaps(intervals: list[tuple[int, int]], begin: int, end: int) -> list[tuple[int, int]]:
    """The parts of [begin, end) that no interval covers."""
    found, reached = [], begin
    for first, last in sorted(intervals):
        if min(first, end) > reached:
            found.append((reached, min(first, end)))
        reached = max(reached, last)
    if reached < end:
        found.append((reached, end))
    return found


@dataclasses.dataclass
class Step:
    begin: int
    end: int
    events: int
    annotation: tuple[int, int]
    inside_call: int  # the end of the last call for it inside which some of its work ended; 0: none
    gaps: list[tuple[int, int]]  # in which the device did nothing

    @property
    def idle(self) -> int:
        return sum(end - begin for begin, end in self.gaps)


def finishes(ends: dict[int, list[int]]) -> dict[int, int]:
    """By step: its last end that is not behind the next step's finish; all are behind it: that finish."""
    found: dict[int, int] = {}
    for step in sorted(ends, reverse=True):
        later = min(found.values(), default=max(ends[step]))
        found[step] = max((end for end in ends[step] if end <= later), default=later)
    return found


def steps(space: xplane.Space) -> dict[tuple[str, int], Step]:
    """By device and number. Work belongs to the last annotation that had begun when it was launched."""
    marks = annotations(space)
    called = calls(space)
    by_device = defaultdict(list)
    for operation in operations(space):
        by_device[f"CPU {operation.device}"].append(operation)
    found = {}
    for device, work in by_device.items():
        of_step = defaultdict(list)
        for operation in work:
            step = sum(begin <= called[operation.run][0] for begin, *_ in marks) - 1
            of_step[step].append(operation)
        before = of_step.pop(-1, [])
        assert not before, "work from before the first step"
        previous = None
        done = finishes({step: [operation.end for operation in of_step[step]] for step in of_step})
        for step, finish in sorted(done.items()):
            begin = min(marks[step][0], finish) if previous is None else previous
            previous = max(begin, finish)
            found[device, marks[step][2]] = Step(
                begin,
                previous,
                len(of_step[step]),
                marks[step][:2],
                max((called[o.run][1] for o in of_step[step] if o.end <= called[o.run][1]), default=0),
                gaps([(operation.begin, operation.end) for operation in work], begin, previous),
            )
    return found


def steps_of(space: xplane.Space, capture: Path) -> dict[tuple[str, int], Step]:
    """The same; skips what is no capture of a CPU."""
    if not operations(space):
        skip_other(capture, CPU_CAPTURES, "no work of CPU devices in this capture")
    return steps(space)
