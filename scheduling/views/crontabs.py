"""Pasting a crontab: first what each line becomes, then the import of just that."""

from collections import Counter

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.authentication import actor_of
from accounts.permissions import require
from controlplane.htmx import HtmxHttpRequest, render_page, signed_in
from scheduling.crontab import ImportedLine, import_crontab

#: Longest crontab taken, characters.
MAX_TEXT = 200_000
#: What becomes of a line that counts as an import.
MADE = ("created", "updated")


class CrontabForm(forms.Form):
    """The text, and how to read it."""

    text = forms.CharField(
        label="Crontab",
        max_length=MAX_TEXT,
        strip=False,
        widget=forms.Textarea({"rows": 10, "spellcheck": "false", "autofocus": True}),
        help_text="With its comments and variables. Comments right above a line describe it.",
    )
    user_field = forms.ChoiceField(
        label="Lines name a user",
        choices=[("", "find out"), ("yes", "yes, as in /etc/crontab"), ("no", "no")],
        required=False,
    )
    enable = forms.BooleanField(label="Let the clock fire them at once", required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def crontab_import(request: HtmxHttpRequest) -> HttpResponse:
    """The dry run always comes first; it posts the same text again to be stored."""
    actor = actor_of(request)
    require(actor, "schedules.act", owner_id=actor.id)
    form = CrontabForm(request.POST if request.method == "POST" else None)
    context = {"title": "Import a crontab", "form": form, "lines": None}
    if not form.is_bound:
        return render_page(request, "scheduling/import.html", context)
    if not form.is_valid():
        return render_page(request, "scheduling/import.html", context, status=400)
    storing = "store" in request.POST
    lines = _imported(request, form, dry_run=not storing)
    made = sum(line.status in MADE for line in lines)
    if storing:
        messages.success(request, f"{made} schedule{'s' * (made != 1)} made or changed.")
        return redirect("scheduling:list")
    counts = Counter(line.status for line in lines)
    return render_page(
        request,
        "scheduling/import.html",
        context | {"lines": lines, "made": made, "counts": sorted(counts.items())},
    )


def _imported(request: HtmxHttpRequest, form: CrontabForm, *, dry_run: bool) -> list[ImportedLine]:
    """What one person pastes twice is the same; what two people paste is not."""
    actor, data = actor_of(request), form.cleaned_data
    return import_crontab(
        data["text"],
        source=f"page:{actor.id}",
        actor=actor,
        enable=data["enable"],
        system={"yes": True, "no": False}.get(data["user_field"]),
        dry_run=dry_run,
    )
