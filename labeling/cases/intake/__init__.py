"""Records of the interchange format on their way into the database, batch by batch.

Each room takes checked batches of one part and holds what it needs to know of
the set between two batches: ids, never texts. Everything runs inside the one
transaction of the whole import.
"""
