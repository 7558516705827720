"""The query string of the audit list -> validated criteria; shared by page and API."""

from datetime import UTC, datetime
from typing import Any

from django import forms

from accounts.queries import person_with_email
from audit.queries import SYSTEM, Criteria
from audit.vocabulary import EventType
from controlplane.pagination import MAX_ID

#: Kinds of things that events are about, as the recorder's callers name them.
TARGET_TYPES = ("job", "schedule", "queue", "user", "page")

_ANY = ("", "any")
_MINUTES = {"type": "datetime-local"}


class AuditFilter(forms.Form):
    """Every field may be left out; a value that cannot be is an error of its field."""

    event_type = forms.ChoiceField(
        label="Event",
        required=False,
        choices=[_ANY, *((str(event), str(event)) for event in EventType)],
    )
    actor = forms.CharField(
        label="Who",
        required=False,
        max_length=254,
        widget=forms.TextInput(attrs={"placeholder": "e-mail, id or system"}),
    )
    target_type = forms.ChoiceField(
        label="Thing", required=False, choices=[_ANY, *((kind, kind) for kind in TARGET_TYPES)]
    )
    target_id = forms.IntegerField(label="Its id", required=False, min_value=1, max_value=MAX_ID)
    since = forms.DateTimeField(
        label="From (UTC)", required=False, widget=forms.DateTimeInput(attrs=_MINUTES)
    )
    until = forms.DateTimeField(
        label="To (UTC)", required=False, widget=forms.DateTimeInput(attrs=_MINUTES)
    )

    def clean_since(self) -> datetime | None:
        return _in_utc(self.cleaned_data["since"])

    def clean_until(self) -> datetime | None:
        return _in_utc(self.cleaned_data["until"])

    def clean_actor(self) -> int | str | None:
        """A person's id, or the word for the machine."""
        raw: str = self.cleaned_data["actor"].strip()
        if not raw:
            return None
        if raw.lower() == SYSTEM:
            return SYSTEM
        if raw.isascii() and raw.isdigit():
            return _person_id(raw)
        person = person_with_email(raw)
        if person is None:
            raise forms.ValidationError(
                "No account has this e-mail address. Events of a deleted one are found by its id."
            )
        return person.pk

    def clean(self) -> dict[str, Any]:
        fields = self.cleaned_data
        since, until = fields.get("since"), fields.get("until")
        if since and until and since >= until:
            self.add_error("until", "This must be later than the beginning.")
        return fields

    def criteria(self) -> Criteria:
        """What the fields ask for; only after is_valid()."""
        return Criteria(**{name: value or None for name, value in self.cleaned_data.items()})


def _in_utc(moment: datetime | None) -> datetime | None:
    """The database takes fewer offsets than the form does. Beyond all years is at their edge."""
    if moment is None:
        return None
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        edge = datetime.min if moment.year == datetime.min.year else datetime.max
        return edge.replace(tzinfo=UTC)


def _person_id(digits: str) -> int:
    if len(digits) > len(str(MAX_ID)) or not 1 <= int(digits) <= MAX_ID:
        raise forms.ValidationError(f"An id is a whole number from 1 to {MAX_ID}.")
    return int(digits)
