"""Interchange format 1: its records, read strictly and written canonically.

``models`` say what one record is, ``reading`` and ``writing`` turn JSON Lines
into records and back, ``checking`` holds what needs more than one field or line,
``bundle`` opens and ``packing`` writes a whole set, ``schema`` publishes the
JSON Schema.
"""
