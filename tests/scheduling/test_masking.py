"""A mask that comes back keeps the value it stands for, and stands for nothing elsewhere."""

from typing import Any

import pytest

from jobs.errors import InvalidArguments
from scheduling.masking import masked_arguments, unmasked
from scheduling.models import JobSchedule

MASK = "•••"
STORED = {"token": "t", "list": [{"password": "p"}, 2], "plain": "x"}
SHOWN = {"token": MASK, "list": [{"password": MASK}, 2], "plain": "x"}


def test_what_is_shown_has_no_secrets() -> None:
    schedule = JobSchedule(task="a.b", kwargs=STORED, args=[1])
    assert masked_arguments(schedule) == ([1], SHOWN)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (SHOWN, STORED),
        ({"token": MASK}, {"token": "t"}),
        (
            {"token": "new", "list": [{"password": MASK}]},
            {"token": "new", "list": [{"password": "p"}]},
        ),
        ({}, {}),
        ([], []),
    ],
)
def test_a_mask_in_its_place_keeps_the_value(given: Any, meant: Any) -> None:
    assert unmasked(given, SHOWN, STORED, field="kwargs") == meant


@pytest.mark.parametrize(
    "given",
    [
        {"other": MASK},
        {"plain": MASK},
        {"list": [1, MASK]},
        {"list": {"password": MASK}},
        {"list": [{"password": {"password": MASK}}]},
        MASK,
        [MASK],
    ],
)
def test_a_mask_anywhere_else_is_refused(given: Any) -> None:
    with pytest.raises(InvalidArguments, match="written anew"):
        unmasked(given, SHOWN, STORED, field="kwargs")
