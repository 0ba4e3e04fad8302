"""A rubric definition as a form: what it may hold, how it is shown, how it is read back.

Everything here is made from the definition's own JSON Schema, so that a field that a
rubric gains is a field that a draft has. Nothing here decides whether a rubric is valid:
`grounding.rubrics.examine` does. Pure functions on plain data, but for `drafts`, which alone
writes, and `trials`, which grades.
"""

from calibration.drafting.action import Action
from calibration.drafting.reading import read
from calibration.drafting.shapes import RUBRIC
from calibration.drafting.showing import Shown, lay_out

__all__ = ["RUBRIC", "Action", "Shown", "lay_out", "read"]
