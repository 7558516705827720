"""What comes in is strict."""

import pytest
from rest_framework import serializers

from controlplane.rest.serializers import Empty, Input


class Point(Input):
    x = serializers.IntegerField()


@pytest.mark.parametrize(
    ("shape", "known"),
    [(Point, "Known are: x."), (Empty, "Known are: none.")],
)
def test_a_member_that_is_not_declared_is_an_error(shape: type[Input], known: str) -> None:
    checked = shape(data={"x": 1, "y": 2} if shape is Point else {"y": 2})
    assert not checked.is_valid()
    assert known in str(checked.errors["y"][0])


def test_declared_members_pass() -> None:
    checked = Point(data={"x": "1"})
    assert checked.is_valid()
    assert checked.validated_data == {"x": 1}


def test_a_list_is_no_object() -> None:
    assert not Point(data=[1]).is_valid()
