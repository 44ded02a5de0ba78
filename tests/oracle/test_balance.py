"""The balance of gait doctor, computed again from what gait roofline and overview say (docs/metrics/balance.md)."""

import pytest
from profiler_part import is_estimate, mean_step, profiler_part

TERMS = ("necessary", "avoidable", "inefficiency", "communication", "copies", "idle", "unrated")


@pytest.fixture
def doctor(gait, capture):
    return gait.document("doctor", capture)


@pytest.fixture
def balance(gait, doctor):
    if "balance" not in doctor["tables"]:
        pytest.skip("no device did anything")
    return {row["term"]: row for row in gait.rows(doctor, "balance")}


def test_the_terms_are_the_step(gait, capture, balance):
    """As the overview has it, whatever is in which term."""
    assert set(balance) <= set(TERMS) and all(row["total"] > 0 for row in balance.values())
    overview = gait.document("overview", capture)
    step, part = mean_step(gait, overview), profiler_part(gait, overview)
    said = sum(row["time"] for row in balance.values())
    if part == 0 or is_estimate(gait, overview):
        assert said == pytest.approx(step - part, abs=30 + 1e-6 * part)
    else:
        assert step - part - 30 <= said <= step + 30
    assert sum(row["share"] for row in balance.values()) == pytest.approx(100)
    for row in balance.values():
        assert 0 <= row["explained"] <= row["time"]


def test_each_device_has_its_own_balance(gait, capture, doctor, balance):
    """As the partition of its time has it; the terms of all are those of the run."""
    rows = gait.rows(doctor, "balance_devices")
    for row in rows:
        assert sum(row[term] for term in TERMS) == pytest.approx(100)
    overview = gait.document("overview", capture)
    if profiler_part(gait, overview):
        return
    parts = {(row["host"], row["device"]): row for row in gait.rows(overview, "devices")}
    assert len(rows) == len(parts)
    for row in rows:
        part = parts[row["host"], row["device"]]
        assert row["time"] == pytest.approx(part["window"], abs=1)
        assert row["idle"] == pytest.approx(100 * part["idle"] / part["window"], abs=1e-6)
        assert row["communication"] <= 100 * (1 - part["idle"] / part["window"]) + 1e-6
    steps = sum(row["time"] for row in rows)
    for term in TERMS:
        mean = sum(row[term] * row["time"] for row in rows) / steps
        assert mean == pytest.approx(balance[term]["share"] if term in balance else 0, abs=1)


def test_overview_and_check_have_the_same_balance(gait, capture, balance):
    overview = gait.document("overview", capture)
    assert gait.rows(overview, "balance") == list(balance.values())
    line = next(row for row in gait.rows(overview, "overview") if row["quantity"] == "necessary")
    assert line["value"] == (balance["necessary"]["time"] if "necessary" in balance else 0)
    metrics = {
        row["metric"]: row["value"] for row in gait.rows(gait.document("check", capture, "--list"), "metrics")
    }
    for term in TERMS:
        assert metrics[f"balance_{term}"] == pytest.approx(balance[term]["share"] if term in balance else 0)


def test_a_change_is_the_difference_of_two_balances(gait, capture, doctor, balance):
    """With another run: its terms are those that its own doctor names."""
    from conftest import DATA

    other = DATA / "h200" / "starved.xplane.pb.gz"
    theirs = {row["term"]: row["time"] for row in gait.rows(gait.document("doctor", other), "balance")}
    rows = gait.rows(gait.document("diff", capture, other), "balance")
    assert {row["term"] for row in rows} == set(balance) | set(theirs)
    for row in rows:
        assert row["a"] == pytest.approx(balance[row["term"]]["time"] if row["term"] in balance else 0, abs=1)
        assert row["b"] == pytest.approx(theirs.get(row["term"], 0), abs=1)
        assert row["delta"] in (None, row["b"] - row["a"])


def test_what_is_necessary_is_what_the_rates_say(gait, capture, doctor, balance):
    rates = {row["type"]: row for row in gait.rows(doctor, "rates")}
    rated = unrated = ideal = 0
    for row in gait.rows(gait.document("roofline", capture, "--top", "0"), "roofline"):
        if row["efficiency"] is None:
            unrated += row["self"]
            continue
        compute = row["flops"] / rates[row["data_type"]]["rate"] if row["data_type"] in rates else 0
        seconds = max(compute, row["bytes"] / rates["memory"]["rate"])
        rated += row["self"]
        ideal += row["self"] * min(1.0, seconds * 1e12 / row["time"])
    total = {term: balance[term]["total"] if term in balance else 0 for term in TERMS}
    avoidable = total["avoidable"]
    assert total["necessary"] + total["inefficiency"] <= rated + len(rates)
    assert rated - avoidable <= total["necessary"] + total["inefficiency"]
    assert ideal - avoidable - 1e-6 * rated <= total["necessary"] <= ideal + 1e-6 * rated
    assert total["communication"] + total["copies"] + total["unrated"] <= unrated
    if not avoidable:
        assert total["communication"] + total["copies"] + total["unrated"] == unrated


def test_no_rate_is_below_what_an_operation_reaches(gait, capture, doctor):
    rates = {row["type"]: row for row in gait.rows(doctor, "rates")}
    rows = gait.rows(gait.document("roofline", capture, "--top", "0"), "roofline")
    busy = sum(row["self"] for row in rows)
    for row in rows:
        if row["efficiency"] is None or row["time"] < 0.01 * busy:
            continue
        for kind, amount in ((row["data_type"], row["flops"]), ("memory", row["bytes"])):
            if kind in rates:
                best = min(amount / row["time"] * 1e12, rates[kind]["data_sheet"])
                assert rates[kind]["rate"] >= 0.999999 * best, row["name"]
    for row in rates.values():
        assert 0 < row["share"] <= 100 and row["rate"] == pytest.approx(
            row["data_sheet"] * row["share"] / 100
        )


def test_the_answer_names_the_largest_loss(gait, doctor, balance):
    necessary = balance["necessary"]["share"] if "necessary" in balance else 0
    unrated = balance["unrated"]["share"] if "unrated" in balance else 0
    lost = {term: row for term, row in balance.items() if term != "necessary"}
    if unrated <= 20 and 100 - necessary - unrated <= 15:
        assert "of which" not in doctor["answer"]
        return
    largest = max(lost.values(), key=lambda row: row["total"])
    assert f"{largest['about']}" in doctor["answer"]
    assert "Nothing that stands out" not in doctor["answer"]


def test_what_a_starved_loop_loses_is_its_input(gait):
    """The program sleeps for 30 ms of each step in its input (tests/data/h200/README.md)."""
    from conftest import DATA

    document = gait.document("doctor", DATA / "h200" / "starved.xplane.pb.gz")
    rows = {row["term"]: row for row in gait.rows(document, "balance")}
    assert rows["idle"]["time"] > 30e9
    assert rows["idle"]["explained"] > 30e9
    assert rows["idle"]["holds"][0] == "host busy with input"
