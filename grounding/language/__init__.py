"""Words as the rules of this package compare them: tokens with offsets, and closed lists.

Shared by what judges by words, splits answers, and proposes partners, so that a hedge or a
negation is one everywhere. The lexical judge's verdicts rest on these: a change that could
move one raises its implementation number.

- ``token``      a word or number, as it is compared
- ``tokens``     text as tokens, sentences and windows, with offsets
- ``sentences``  where sentences end, by punctuation alone
- ``lexemes``    a word's comparable forms
- ``numbers``    numbers as values, units as dimensions
- ``words``, ``kinds``, ``alike``   the lists
- ``quantities``  numbers of several words as one, and how exactly they are meant
- ``rounding``   which number another one may be rounded to
- ``markers``    wordings that mark a cause, a reason, or a number that is not meant exactly
"""
