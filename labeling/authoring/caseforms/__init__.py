"""A case as it stands on a form: typed text on one side, interchange records on the other.

A field of the form is named by the path that it has in the record, behind the side that it
is on (``a.statements.0.span``), so that an error of the intake finds its field by its name.

- ``typed``    what was typed, row by row, read from a form or filled from a record
- ``rows``     rows added and taken away, the other side started: what the buttons do
- ``reading``  what was typed, as a record
- ``places``   where a statement stands in the answer, as a choice
- ``faults``   where on the form an error stands
- ``asking``   what a form asks for that was left out
- ``page``     the fields that a page draws, and what people call its places
- ``fields``   what was typed, as these fields, each with its error
- ``opening``  cases of a set on a form, and what it cannot carry
- ``answering``, ``differences``   what becomes of a form that was sent
"""
