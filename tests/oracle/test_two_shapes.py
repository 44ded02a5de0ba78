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
