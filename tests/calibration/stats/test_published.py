import json
import re
from pathlib import Path

LEFT_OUT = {"gwet_ac2", "weighted_kappa", "mcnemar_chi2", "bowker_symmetry"}
"""Of statistics that nothing here shows: verdicts have no order to weigh, and McNemar's test is
exact."""


def test_every_published_statistic_is_checked_or_left_out_by_name(data_folder):
    entries = json.loads((data_folder / "reference_values.json").read_text("utf-8"))["references"]
    asked = {
        name
        for file in Path(__file__).parent.glob("test_*.py")
        for marker in re.findall(r"mark\.published\(([^)]*)\)", file.read_text("utf-8"))
        for name in re.findall(r'"(\w+)"', marker)
    }
    assert {entry["statistic"] for entry in entries} - asked == LEFT_OUT
