"""Words as the rules of this package compare them: tokens with offsets, and closed lists.

Shared by what judges by words, splits answers, and proposes partners, so that a hedge or a
negation is one everywhere. The lexical judge's verdicts rest on these: a change that could
move one raises its implementation number.

- ``tokens``     text as tokens, sentences and windows, with offsets
- ``sentences``  where sentences end, by punctuation alone
- ``lexemes``    a word's comparable forms
- ``numbers``    numbers as values, units as dimensions
- ``words``, ``kinds``, ``alike``   the lists
- ``markers``    wordings that mark a cause or a reason
"""
