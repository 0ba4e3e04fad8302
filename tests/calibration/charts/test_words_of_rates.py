"""What stands beside a rate in a picture: the same form in every row."""

from __future__ import annotations

from calibration.charts import Interval, intervals

LONG = "Subject-specific, contradictory"


def said(*rows: tuple[str, int, int]) -> list[str]:
    figure = intervals("A", "B", [Interval(name, k, n, k / n, 0.1, 0.9) for name, k, n in rows])
    return [row["said"] for row in figure.picture.rows]


def test_every_row_has_counts_and_percentage_where_all_have_room():
    assert said((LONG, 16, 52), ("All", 95, 144)) == ["16 of 52, 30.8%", "95 of 144, 66.0%"]


def test_where_one_row_has_no_room_all_say_the_percentage_of_n():
    """Never a percentage in one row and none in the next."""
    assert said((LONG, 1_234, 5_678), ("All", 95, 144)) == ["21.7% of 5,678", "66.0% of 144"]


def test_what_is_undefined_takes_no_room_from_the_others():
    row = Interval("Nothing of this very long name, and more", 0, 0, None, None, None)
    figure = intervals("A", "B", [row, Interval("All", 95, 144, 95 / 144, 0.1, 0.9)])
    assert [one["said"] for one in figure.picture.rows] == ["— n = 0", "95 of 144, 66.0%"]
