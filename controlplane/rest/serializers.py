"""Bases of the serializers: what comes in is strict, what goes out can be narrowed."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.utils.serializer_helpers import ReturnDict


class Input(serializers.Serializer[Any]):
    """A request's body. A member that it does not declare is an error, not something to ignore."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = sorted(set(map(str, data)) - set(self.fields))
            if unknown:
                known = ", ".join(self.fields)
                message = f"There is no such field. Known are: {known or 'none'}."
                raise serializers.ValidationError({unknown[0]: [message]})
        return super().to_internal_value(data)


class Output(serializers.Serializer[Any]):
    """A part of an answer; all of its fields are always there."""


class Empty(Input):
    """A request without a body."""


type Body = ReturnDict[str, Any] | dict[str, Any]
