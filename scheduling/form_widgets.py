"""Fields and widgets that the schedule's form is made of."""

from typing import Any

from django import forms

from controlplane.testids import Element


def marked(widget: type[forms.Widget], name: str, **attributes: Any) -> forms.Widget:
    """A widget with the test id of this field, and these attributes."""
    return widget({"data-testid": Element[f"SCHEDULE_FORM_{name}"].value, **attributes})


def wall_input(label: str, hint: str, *, required: bool = False) -> forms.CharField:
    """A date and time of day by the schedule's own clock; the form makes an instant of it."""
    widget = forms.TextInput({"type": "datetime-local", "step": "1"})
    return forms.CharField(
        label=label, required=required, max_length=40, help_text=hint, widget=widget
    )
