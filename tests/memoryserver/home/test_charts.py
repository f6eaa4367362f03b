from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryserver.home.charts import SPARK_HEIGHT, SPARK_WIDTH, Spark, spark, stacked_bars


def test_points_go_from_edge_to_edge_and_the_largest_value_is_on_top() -> None:
    assert spark([0, 5, 10]) == Spark("0.0,23.0 60.0,13.0", "60.0,13.0 120.0,3.0", "0, 5, 10")


def test_value_that_is_missing_leaves_its_place_free() -> None:
    assert spark([0, None, 33.33]) == Spark("", "0.0,23.0 120.0,3.0", "0, none, 33.3")


def test_equal_values_are_a_line_in_the_middle() -> None:
    assert spark([4, 4, 4]) == Spark("0.0,13.0 60.0,13.0", "60.0,13.0 120.0,13.0", "4, 4, 4")


def test_fewer_than_two_values_are_no_line() -> None:
    assert [bool(spark(values)) for values in ([], [1], [None, 3, None], [1, 2])] == [False, False, False, True]


def test_line_ends_before_a_present_week_without_a_value() -> None:
    assert spark([0, 10, None]) == Spark("0.0,23.0 60.0,3.0", "", "0, 10, none")


@given(st.lists(st.none() | st.floats(0, 1e9), min_size=2, max_size=20))
def test_every_point_is_within_the_chart(values: list[float | None]) -> None:
    lines = spark(values)
    for point in f"{lines.over} {lines.present}".split():
        x, y = map(float, point.split(","))
        assert 0 <= x <= SPARK_WIDTH
        assert 0 <= y <= SPARK_HEIGHT


def test_bars_are_stacked_from_below_and_the_largest_column_is_full() -> None:
    first, second = stacked_bars([[("a", 1), ("b", 3)], [("a", 2), ("b", 0)]], width=100, height=40, gap=0.5)
    assert [(bar.name, bar.x, bar.y, bar.width, bar.height) for bar in first] == [
        ("a", 12.5, 30.0, 25.0, 10.0),
        ("b", 12.5, 0.0, 25.0, 30.0),
    ]
    assert [(bar.x, bar.y, bar.height) for bar in second] == [(62.5, 20.0, 20.0), (62.5, 20.0, 0.0)]


def test_columns_without_counts_have_no_height() -> None:
    (bars,) = stacked_bars([[("a", 0)]], width=10, height=10)
    assert [(bar.y, bar.height) for bar in bars] == [(10.0, 0.0)]
