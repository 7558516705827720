"""Fields and widgets of the schedule's form."""

import pytest
from django import forms

from scheduling.form_widgets import marked, wall_input


def test_a_widget_carries_its_test_id() -> None:
    widget = marked(forms.TextInput, "CRON", spellcheck="false")
    assert widget.attrs == {"data-testid": "schedule-form-cron", "spellcheck": "false"}
    with pytest.raises(KeyError):
        marked(forms.TextInput, "NOTHING")


def test_a_wall_time_is_entered_in_the_browsers_own_way() -> None:
    field = wall_input("From", "hint", required=True)
    assert 'type="datetime-local"' in field.widget.render("since", "")
    assert field.required and not wall_input("From", "").required
