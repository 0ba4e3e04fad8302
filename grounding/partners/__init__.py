"""The near-identical partner of a case, proposed for its author to review and edit.

- ``proposals``   every partner of a case, by kind and seed
- ``kinds``       what a partner differs in
- ``figures``, ``names``, ``wordings``   the changes, over ``verbs``
- ``grounds``     what a statement rests on
- ``editing``     a change carried through a case: texts, spans, quotes
"""

from grounding.partners.editing import Edit
from grounding.partners.kinds import PartnerKind
from grounding.partners.proposals import Proposal, propose

__all__ = ["Edit", "PartnerKind", "Proposal", "propose"]
