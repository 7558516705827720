import pytest

from bench.figures import Figure, number, percentile, table

DRAIN = Figure("drain", "jobs/s", [100.0, 300.0, 200.0], "the floor", [400.0, 500.0, 300.0])


def test_a_ratio_is_that_of_the_medians() -> None:
    assert DRAIN.ratio == 0.5
    assert Figure("memory", "MB", [60.0]).ratio is None


def test_json_holds_every_sample_and_what_was_computed() -> None:
    found = DRAIN.as_json()
    assert found["samples"] == [100.0, 300.0, 200.0]
    assert (found["median"], found["ratio"]) == (200.0, 0.5)


@pytest.mark.parametrize(("share", "expected"), [(0.5, 50.0), (0.99, 99.0), (1.0, 100.0)])
def test_a_percentile_is_a_sample(share: float, expected: float) -> None:
    assert percentile([float(n) for n in range(100, 0, -1)], share) == expected


def test_the_percentile_of_one_sample_is_that_sample() -> None:
    assert percentile([7.0], 0.01) == 7.0


@pytest.mark.parametrize(
    ("value", "text"), [(12345.6, "12,346"), (99.94, "99.9"), (0.123456, "0.123"), (0.0, "0")]
)
def test_numbers_show_the_digits_that_matter(value: float, text: str) -> None:
    assert number(value) == text


def test_the_table_aligns_and_explains_its_references() -> None:
    head, rule, first, second, *_, note = table([DRAIN, Figure("memory", "MB", [60.0])]).split("\n")
    assert len({len(line) for line in (head, rule, first, second)}) == 1
    assert "| 200 " in first
    assert "| 100 - 300 " in first
    assert "| 0.50 " in first
    assert second.count("|") == first.count("|")
    assert note == "drain: reference = the floor"
