"""Grading of statements against the context they claim to rest on.

The same package grades in a notebook, in CI, in a production guard and in the
app's workers. It needs neither Django nor a database.
"""
