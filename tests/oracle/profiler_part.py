"""What gait takes off a step for the profiler, as the overview says."""


def mean_step(gait, overview) -> int:
    return sum(row["per_step"] for row in gait.rows(overview, "where") if row["depth"] == 0)


def profiler_part(gait, overview) -> int:
    """In picoseconds of a step. No more than the devices idled because of the host, where it was measured."""
    said = {row["quantity"]: row for row in gait.rows(overview, "overview")}
    if "uncaptured" not in said or "single step" in said["uncaptured"]["note"]:
        return 0
    return max(0, mean_step(gait, overview) - said["uncaptured"]["value"])


def is_estimate(gait, overview) -> bool:
    said = {row["quantity"]: row for row in gait.rows(overview, "overview")}
    return "uncaptured" in said and said["uncaptured"]["note"].startswith("estimated")
