"""profile_data.py FILE: opens a capture with jax.profiler.ProfileData and visits every event."""

import sys

from jax.profiler import ProfileData


def main() -> None:
    events = 0
    duration_ns = 0.0
    for plane in ProfileData.from_file(sys.argv[1]).planes:
        for line in plane.lines:
            for event in line.events:
                events += 1
                duration_ns += event.duration_ns
    print(f"{events} events, {duration_ns:.0f} ns")


if __name__ == "__main__":
    main()
