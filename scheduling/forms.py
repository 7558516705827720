"""The form of a schedule. What is allowed is said by `scheduling.values`; here it becomes errors of
fields, all of them at once."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils import timezone

from controlplane.actors import Actor
from controlplane.errors import ControlPlaneError, InvalidInput, PermissionDenied
from jobs.errors import TaskNotFound
from jobs.registry import known_tasks
from jobs.validation import json_text
from scheduling import form_times, masking
from scheduling import values as given
from scheduling.cron_zones import zone_named
from scheduling.form_initial import defaults, initial_of
from scheduling.form_widgets import marked, wall_input
from scheduling.lifecycle import NO_TIMES, MissedPolicy, OverlapPolicy
from scheduling.models import JobSchedule
from scheduling.times import Times

#: The form's own field for a column or argument that an error names.
FIELD_OF = {"interval_seconds": "every", "enabled": "cron"}
#: Fields that say when it runs; the preview needs these alone.
TIMES_FIELDS = (
    *("kind", "cron", "timezone", "every", "every_unit", "interval_days"),
    *form_times.WALL_FIELDS,
)
#: Fields that are columns of the same name and need nothing but their check.
PLAIN = (
    *("name", "description", "task", "timezone", "queue", "priority", "max_attempts"),
    *("timeout_seconds", "jitter_seconds", "overlap_policy", "missed_policy"),
    *("missed_window_seconds", "missed_limit"),
)


class ScheduleForm(forms.Form):
    """All of a schedule. `values` are for the actions; `times` are what it would follow."""

    name = forms.CharField(label="Name", max_length=150, widget=marked(forms.TextInput, "NAME"))
    description = forms.CharField(
        label="Description", required=False, max_length=10_000, widget=forms.Textarea({"rows": 2})
    )
    task = forms.CharField(label="Task", max_length=255, widget=marked(forms.Select, "TASK"))
    kwargs = forms.CharField(
        label="Named arguments",
        required=False,
        help_text='A JSON object, such as {"customer": 42}.',
        widget=marked(forms.Textarea, "KWARGS", rows=4, spellcheck="false"),
    )
    args = forms.CharField(
        label="Positional arguments",
        required=False,
        help_text="A JSON list, such as [1, 2].",
        widget=marked(forms.Textarea, "ARGS", rows=2, spellcheck="false"),
    )
    tags = forms.CharField(label="Tags", required=False, help_text="Words, separated by commas.")

    kind = forms.ChoiceField(label="Runs by", choices=form_times.KINDS, widget=forms.RadioSelect)
    cron = forms.CharField(
        label="Cron expression",
        required=False,
        max_length=255,
        help_text="Five fields: minute, hour, day of month, month, day of week; or six, seconds "
        "first; or a name such as @daily.",
        widget=marked(forms.TextInput, "CRON", spellcheck="false", autocomplete="off"),
    )
    timezone = forms.CharField(
        label="Time zone",
        max_length=64,
        help_text="An IANA name, such as Europe/Berlin. Its wall clock counts.",
        widget=marked(forms.TextInput, "ZONE", list="zones", autocomplete="off"),
    )
    every = forms.IntegerField(label="Every", required=False)
    every_unit = forms.TypedChoiceField(
        label="Unit", required=False, coerce=int, empty_value=None, choices=form_times.UNITS
    )
    interval_days = forms.IntegerField(
        label="Every so many days",
        required=False,
        help_text="At the wall time of the first run, whatever the clock does.",
    )
    anchor_at = wall_input("Counted from", "The first run; empty: from now on.")
    run_at = wall_input("At", "By the clock of the time zone.")
    starts_at = wall_input("Not before", "")
    ends_at = wall_input("Not after", "")
    jitter_seconds = forms.IntegerField(
        label="Jitter, seconds", help_text="Each job starts up to so much after its time."
    )

    overlap_policy = forms.ChoiceField(
        label="While an earlier job is unfinished", choices=OverlapPolicy.choices
    )
    missed_policy = forms.ChoiceField(label="Times that were missed", choices=MissedPolicy.choices)
    missed_window_seconds = forms.IntegerField(
        label="Made up for within, seconds", help_text="Older ones are only noted."
    )
    missed_limit = forms.IntegerField(
        label="At most so many", help_text='With "run all": jobs for the latest missed times.'
    )

    queue = forms.CharField(
        label="Queue", required=False, max_length=100, help_text="Empty: the task's own."
    )
    priority = forms.IntegerField(
        label="Priority", required=False, help_text="-100 to 100, higher first."
    )
    max_attempts = forms.IntegerField(
        label="Attempts at most", required=False, help_text="1 to 21; empty: the task's own."
    )
    timeout_seconds = forms.FloatField(
        label="Timeout, seconds", required=False, help_text="Of one attempt."
    )
    enabled = forms.BooleanField(label="Let the clock fire it at once", required=False)
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    #: What the fields held when the edit began, as JSON: only ever compared and shown.
    base = forms.CharField(required=False, widget=forms.HiddenInput)
    impact_seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        actor: Actor,
        schedule: JobSchedule | None = None,
    ) -> None:
        super().__init__(data, initial=initial_of(schedule) if schedule else defaults())
        self.actor = actor
        self.schedule = schedule
        self.values: dict[str, Any] = {}
        self.fields["task"].widget.choices = _task_choices(schedule.task if schedule else "")

    @property
    def times(self) -> Times | None:
        """What it would follow; None while a field about times has errors."""
        if any(name in self.errors for name in TIMES_FIELDS):
            return None
        return form_times.times_of(self.values, timezone.now())

    @property
    def fingerprint(self) -> str:
        """Tells whether a person has seen the effect of exactly these times."""
        names = (*NO_TIMES, "timezone", "starts_at", "ends_at")
        chosen = {name: self.values.get(name) for name in names}
        return hashlib.sha256(repr(chosen).encode()).hexdigest()[:16]

    def clean(self) -> dict[str, Any]:
        """Check every field as the actions will; afterwards `values` holds what passed."""
        data = self.cleaned_data
        zone = self._checked_zone(data.get("timezone", ""))
        for name in form_times.WALL_FIELDS:
            data[name] = self._instant(name, data.get(name) or "", zone) if zone else None
        for name in PLAIN:
            if name in data:
                self._check(name, data[name])
        self._clean_times(data)
        tags = [tag.strip() for tag in data.get("tags", "").split(",")]
        self._check("tags", [tag for tag in tags if tag])
        self._check("args", self._json("args", data.get("args", ""), []))
        self._check("kwargs", self._json("kwargs", data.get("kwargs", ""), {}))
        self._check_together()
        return data

    def add_domain_error(self, error: ControlPlaneError) -> None:
        """Show it at the field it names, or at the one that holds the argument it names; above the
        form when it is about none of them.
        """
        name: str | None = FIELD_OF.get(error.field, error.field).split(".")[0].split("[")[0]
        if name not in self.fields:
            named = "args" if "positional" in error.message else "kwargs"
            name = named if isinstance(error, InvalidInput) and name else None
        self.add_error(name, error.message)

    def _clean_times(self, data: dict[str, Any]) -> None:
        values = form_times.times_values(data)
        kind = data.get("kind")
        needed = {
            form_times.CRON: ("cron", "Give a cron expression, or choose to run it by hand only."),
            form_times.EVERY: ("every", "Give the interval: a whole number of the unit."),
            form_times.DAYS: ("interval_days", "Give a whole number of days."),
            form_times.ONCE: ("run_at", "Give the time at which it runs."),
        }
        if kind in needed:
            field, demand = needed[kind]
            if not data.get(field) and field not in self.errors:
                self.add_error(field, demand)
        for name, value in values.items():
            if FIELD_OF.get(name, name) not in self.errors:
                self._check(name, value)
        for name in ("starts_at", "ends_at"):
            self._check(name, data.get(name))

    def _check_together(self) -> None:
        try:
            if self.times is not None:
                given.check_times(self.times, timezone.now())
            if not {"task", "args", "kwargs"} & self.errors.keys():
                self._check_arguments()
        except PermissionDenied as error:
            self.add_error("task", error.message)
        except (InvalidInput, TaskNotFound) as error:
            self.add_domain_error(error)

    def _check_arguments(self) -> None:
        values = self.values
        if values["task"] not in known_tasks() and self.schedule is not None:
            return  # a lost task keeps what it has; the action says so if another is named
        given.check_arguments(values["task"], values["args"], values["kwargs"], self.actor)

    def _check(self, name: str, value: Any) -> None:
        try:
            self.values |= given.checked({name: value})  # type: ignore[misc]
        except ControlPlaneError as error:
            self.add_domain_error(error)

    def _checked_zone(self, name: str) -> str:
        try:
            return zone_named(name).key if name else ""
        except ControlPlaneError:
            return ""

    def _instant(self, name: str, text: str, zone: str) -> Any:
        """A stored instant stays as it is while its wall time does: it may be a second pass."""
        if not text:
            return None
        stored = getattr(self.schedule, name, None)
        if (
            stored is not None
            and self.initial.get(name) == text
            and zone == self.initial.get("timezone")
        ):
            return stored
        try:
            return form_times.instant_of(text, zone, field=name)
        except ControlPlaneError as error:
            self.add_domain_error(error)
            return None

    def _json(self, name: str, text: str, empty: Any) -> Any:
        if not text.strip():
            return empty
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            what = "list" if empty == [] else "object"
            self.add_error(name, f"This is no JSON {what}: {error}.")
            return empty
        if self.schedule is None:
            return value
        shown = masking.masked_arguments(self.schedule)[0 if name == "args" else 1]
        try:
            json_text(value, field=name)
            return masking.unmasked(value, shown, getattr(self.schedule, name), field=name)
        except ControlPlaneError as error:
            self.add_domain_error(error)
            return empty


def _task_choices(present: str) -> Iterable[tuple[str, Any]]:
    """Short names, grouped by module; the present task also when nobody knows it any more."""
    groups: dict[str, list[tuple[str, str]]] = {}
    tasks = list(known_tasks())
    if present and present not in tasks:
        groups["not found"] = [(present, present)]
    for path in tasks:
        module, _, name = path.rpartition(".")
        groups.setdefault(module, []).append((path, name))
    return [("", "Choose a task"), *groups.items()]
