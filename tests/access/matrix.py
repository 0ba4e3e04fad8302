"""Who may do what: a row for each route, a cell for each method that passes.

HEAD goes with GET. What is not listed must be refused.
"""

from __future__ import annotations

from tests.access.world import ROLES

EVERYONE = frozenset(ROLES)
SIGNED_IN = EVERYONE - {"anonymous"}
MEMBERS = frozenset({"annotator", "lead", "admin"})
LEADS = frozenset({"lead", "admin"})
ADMINS = frozenset({"admin"})
# Rubric versions belong to no set. The stranger administers a set of their own.
LEADS_ANYWHERE = LEADS | {"stranger"}

MATRIX: dict[str, dict[str, frozenset[str]]] = {
    "home": {"GET": SIGNED_IN},
    "sign-in": {"GET": EVERYONE, "POST": EVERYONE},
    "sign-out": {"POST": EVERYONE},
    "password-change": {"GET": SIGNED_IN, "POST": SIGNED_IN},
    "invitation": {"GET": EVERYONE, "POST": EVERYONE},
    "sets": {"GET": SIGNED_IN},
    "set": {"GET": MEMBERS},
    "queues": {"GET": MEMBERS},
    "queue-next": {"POST": MEMBERS},
    "queue-revealed": {"GET": MEMBERS},
    "queue-open": {"GET": LEADS, "POST": LEADS},
    "queue": {"GET": LEADS},
    "queue-state": {"POST": LEADS},
    "queue-revise": {"GET": LEADS, "POST": LEADS},
    "label": {"GET": MEMBERS, "POST": MEMBERS},
    "draft-save": {"POST": MEMBERS},
    "label-discard": {"POST": MEMBERS},
    "label-undo": {"POST": MEMBERS},
    "label-skip": {"POST": MEMBERS},
    "label-flag": {"POST": MEMBERS},
    "label-snippets": {"POST": MEMBERS},
    "label-parts": {"POST": MEMBERS},
    "label-part": {"GET": MEMBERS, "POST": MEMBERS},
    "my-labels": {"GET": MEMBERS},
    "my-remarks": {"GET": MEMBERS},
    "remark-withdraw": {"POST": MEMBERS},
    "members": {"GET": ADMINS, "POST": ADMINS},
    "member-end": {"POST": ADMINS},
    "invitations": {"GET": ADMINS, "POST": ADMINS},
    "invitation-withdraw": {"POST": ADMINS},
    "cases": {"GET": LEADS},
    "set-statements": {"GET": LEADS},
    "pair": {"GET": LEADS},
    "case": {"GET": LEADS},
    "lint": {"GET": LEADS},
    "pair-write": {"GET": LEADS, "POST": LEADS},
    "case-write": {"GET": LEADS, "POST": LEADS},
    "pair-edit": {"GET": LEADS, "POST": LEADS},
    "case-edit": {"GET": LEADS, "POST": LEADS},
    "partner": {"GET": LEADS},
    "partner-write": {"GET": LEADS, "POST": LEADS},
    "revision": {"GET": LEADS},
    "adjudication": {"GET": LEADS},
    "adjudicate": {"GET": LEADS, "POST": LEADS},
    "adjudicate-bulk": {"GET": LEADS, "POST": LEADS},
    "promote": {"GET": LEADS, "POST": LEADS},
    "import": {"GET": LEADS, "POST": LEADS},
    "exports": {"GET": LEADS},
    "export-bundle": {"GET": LEADS},
    "export-csv": {"GET": LEADS},
    "annotator-labels": {"GET": LEADS},
    "queue-progress": {"GET": LEADS},
    "queue-list": {"GET": LEADS},
    "lease-release": {"POST": LEADS},
    "flag-settle": {"POST": LEADS},
    "gate": {"GET": LEADS},
    "judge-checks": {"GET": LEADS, "POST": LEADS},
    "probe-moved": {"GET": LEADS},
    "quality": {"GET": LEADS},
    "queue-quality": {"GET": LEADS},
    "left-out": {"GET": LEADS},
    "queue-left-out": {"GET": LEADS},
    "queue-gold": {"GET": LEADS},
    "rubrics": {"GET": LEADS_ANYWHERE},
    "rubric-version": {"GET": LEADS_ANYWHERE},
    "rubric-yaml": {"GET": LEADS_ANYWHERE},
    "compare": {"GET": LEADS},
    "compare-statements": {"GET": LEADS},
    "drafts": {"GET": LEADS_ANYWHERE, "POST": LEADS_ANYWHERE},
    "draft": {"GET": LEADS_ANYWHERE, "POST": LEADS_ANYWHERE},
    "draft-trial": {"POST": LEADS_ANYWHERE},
    "draft-release": {"POST": LEADS_ANYWHERE},
    "draft-discard": {"POST": LEADS_ANYWHERE},
    "draft-yaml": {"GET": LEADS_ANYWHERE},
    "train-judge": {"POST": LEADS},
    "runs": {"GET": LEADS, "POST": LEADS},
    "run": {"GET": LEADS},
    "run-progress": {"GET": LEADS},
    "run-cancel": {"POST": LEADS},
    "run-rerun": {"POST": LEADS},
    "run-calls": {"GET": LEADS},
    "report-create": {"POST": LEADS},
    "judgments": {"GET": LEADS},
    "judgment": {"GET": LEADS},
    "report": {"GET": LEADS},
    "disagreements": {"GET": LEADS},
    "report-queue": {"GET": LEADS, "POST": LEADS},
    "report-statements": {"GET": LEADS},
    "report-pairs": {"GET": LEADS},
    "report-production": {"GET": LEADS},
    "report-ratings": {"GET": LEADS},
    "report-rating-pairs": {"GET": LEADS},
    "report-annotators": {"GET": LEADS},
    "report-answers": {"GET": LEADS},
    "report-answer": {"GET": LEADS},
    "report-download": {"GET": LEADS},
}


def listed(route: str, method: str, role: str) -> bool:
    return role in MATRIX[route].get("GET" if method == "HEAD" else method, ())
