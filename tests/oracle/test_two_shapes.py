"""One function with two shapes is two programs, and one loop: known without any trace."""

import pytest
import two_shapes


@pytest.fixture(scope="module", params=["compiled", "later"])
def shapes(request, made_captures):
    return request.param, made_captures(1, "two_shapes.py", request.param)


def test_each_call_is_a_step(gait, shapes):
    document = gait.document("steps", shapes[1])
    assert [row["step"] for row in gait.rows(document, "steps")] == list(range(two_shapes.STEPS))
    assert "a step is a launch of jit_train" in document["answer"]


def test_all_verbs_have_the_compilation_in_the_step_that_asked_for_it(gait, shapes):
    loop, capture = shapes
    expected = {two_shapes.COMPILES} if loop == "later" else set()
    steps = gait.rows(gait.document("steps", capture), "steps")
    assert {row["step"] for row in steps if "compiles" in row["flags"]} == expected
    compiles = gait.document("compile", capture)
    assert {row["step"] for row in gait.rows(compiles, "compiles")} == expected
    idle = gait.rows(gait.document("idle", capture), "idle_steps")
    assert {row["step"] for row in idle if row["compile"]} == expected
    if expected:
        assert "1 compilation took" in compiles["answer"]
        assert compiles["answer"].endswith("steps, because a shape changed.")
