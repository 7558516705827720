"""The family of errors that users may see; tests/rules/test_errors.py looks at every member."""

from controlplane.errors import Conflict, ControlPlaneError, InvalidInput


def test_the_docstring_is_the_message_unless_another_is_given() -> None:
    assert Conflict().message == "The present state does not allow this."
    assert str(Conflict("It runs.")) == Conflict("It runs.").message == "It runs."


def test_only_the_first_line_of_a_docstring_is_a_message() -> None:
    class Refused(ControlPlaneError):
        """It is refused.

        More about it.
        """

    assert Refused().message == "It is refused."


def test_the_field_at_fault_is_kept() -> None:
    assert InvalidInput("Too large.", field="priority").field == "priority"
    assert InvalidInput().field == ""
