"""A rule of the doctor is three files of one name: the rule, its test, its page."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "src/gait/analyze/verdict/doctor/rules"


def test_a_rule_is_its_file_its_test_and_its_page():
    files = {path.stem for path in RULES.glob("*.cc")}
    rules = {name for name in files if not name.endswith("_test")}
    assert len(rules) > 30
    assert {f"{name}_test" for name in rules} == files - rules
    assert {path.stem for path in (ROOT / "docs/rules").glob("*.md")} - {"README"} == rules


def test_every_test_asks_its_rule():
    for test in RULES.glob("*_test.cc"):
        rule = test.stem.removesuffix("_test")
        assert f'"{rule}"' in test.read_text(), f"{test.name} does not ask for {rule}"


def test_the_table_is_of_these_rules():
    table = subprocess.check_output([sys.executable, ROOT / "tools/list_rules.py"], text=True)
    assert table in (ROOT / "docs/rules/README.md").read_text(), "run tools/list_rules.py --write"
