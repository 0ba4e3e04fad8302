"""Every published worked example is checked, or left out by its name and for a reason.

Whatever takes ``@pytest.mark.published("statistic")`` runs on all entries of that statistic, so an
entry is checked if its statistic is asked for anywhere.
"""

import json
import re
from pathlib import Path

NO_ORDER = "verdicts have no order, so no disagreement weighs less than another"
EXACT = "McNemar's test is exact here, so there is no chi-squared"
LEFT_OUT = {
    "irrcac_raw4raters_ac2_linear": NO_ORDER,
    "irrcac_raw4raters_ac2_quadratic": NO_ORDER,
    "irrcac_raw4raters_ac2_ordinal": NO_ORDER,
    "irrcac_raw4raters_ac2_radical": NO_ORDER,
    "cohen_sas_3x3_linear": NO_ORDER,
    "mcnemar_chi2_121_59": EXACT,
    "mcnemar_chi2_70_59": EXACT,
    "mcnemar_chi2_80_59": EXACT,
    "bowker_5x5": "two versions are compared by what is right and by leniency, never by the "
    "symmetry of a table of answers",
}


def test_every_published_example_is_checked_or_left_out_for_a_reason(data_folder):
    entries = json.loads((data_folder / "reference_values.json").read_text("utf-8"))["references"]
    asked = {
        name
        for file in Path(__file__).parent.glob("test_*.py")
        for marker in re.findall(r"mark\.published\(([^)]*)\)", file.read_text("utf-8"))
        for name in re.findall(r'"(\w+)"', marker)
    }
    unchecked = {entry["id"] for entry in entries if entry["statistic"] not in asked}
    print(*(f"{name}: {why}" for name, why in LEFT_OUT.items()), sep="\n")
    assert unchecked - LEFT_OUT.keys() == set(), "neither checked nor left out"
    assert LEFT_OUT.keys() - unchecked == set(), "left out and checked all the same, or gone"
    assert (len(entries), len(unchecked)) == (80, 9)
