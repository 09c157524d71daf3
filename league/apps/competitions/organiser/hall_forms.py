"""The forms of halls: rooms with their tables, and an evening with its competitions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.apps.competitions.models import (
    MAX_MINUTES,
    MAX_ROOMS,
    MAX_SEATS_OF_TABLE,
    MAX_TABLE,
    Competition,
    Hall,
)
from league.apps.competitions.organiser.competition_forms import build_time_field
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.services.hall_checks import MAX_ROOM_TITLE
from league.core.errors import Problem, RungsError
from league.web.organiser.forms import add_errors
from ratings.forms import WholeField

#: What is chosen of a competition if all that is open is played.
ALL_ROUNDS = "all"
#: How long an evening is proposed to be.
USUAL_EVENING = timedelta(hours=4)
#: What stands between the numbers of several rounds.
BETWEEN = " "


class HallForm(forms.Form):
    """The name of a hall."""

    title = forms.CharField(label=gettext_lazy("Name of the hall"), max_length=80)


class RoomForm(forms.Form):
    """A room; without a first table there is none."""

    title = forms.CharField(label=gettext_lazy("Name of the room"), required=False, max_length=MAX_ROOM_TITLE)
    first = WholeField(label=gettext_lazy("First table"), required=False, min_value=1, max_value=MAX_TABLE)
    last = WholeField(label=gettext_lazy("Last table"), required=False, min_value=1, max_value=MAX_TABLE)
    seats = WholeField(
        label=gettext_lazy("Seats of a table"),
        required=False,
        min_value=0,
        max_value=MAX_SEATS_OF_TABLE,
        help_text=gettext_lazy("Empty: any number."),
    )
    competitions = forms.MultipleChoiceField(
        label=gettext_lazy("Only for these competitions"),
        required=False,
        help_text=gettext_lazy("None ticked: for all."),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, competitions: Sequence[Competition], **options: Any) -> None:
        super().__init__(*args, **options)
        choices: Any = self.fields["competitions"]
        chosen = [
            slug for slug in self.initial.get("competitions", ()) if slug not in {one.slug for one in competitions}
        ]
        choices.choices = [*((one.slug, one.title) for one in competitions), *((slug, slug) for slug in chosen)]

    def clean(self) -> dict[str, Any]:
        """Refuse a row that says something new of a room without its first table."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        is_new = any(data.get(name) for name in self.changed_data)
        if is_new and data.get("first") is None and "first" not in self.errors:
            self.add_error("first", self.fields["first"].error_messages["required"])
        return data

    def build_room(self) -> dict[str, Any]:
        """Return the room; one table if the last one is left out."""
        data = self.cleaned_data
        return {**data, "last": data["last"] or data["first"], "seats": data["seats"] or 0}


#: Empty rows: of a new hall, and of one that has rooms.
ROWS_OF_NEW_HALL, ROWS_TO_ADD = 3, 1


def build_room_forms(hall: Hall | None, competitions: Sequence[Competition], data: Any = None) -> Any:
    """Return the rows of the rooms, and empty ones."""
    extra = ROWS_TO_ADD if hall else ROWS_OF_NEW_HALL
    rows: Any = forms.formset_factory(RoomForm, extra=extra, max_num=MAX_ROOMS, validate_max=True)
    initial = [{**room, "seats": room["seats"] or None} for room in hall.rooms] if hall else []
    return rows(data, initial=initial, prefix="rooms", form_kwargs={"competitions": competitions})


def list_rooms(rows: Any) -> list[dict[str, Any]]:
    """Return the rooms that were filled in."""
    return [row.build_room() for row in rows if row.cleaned_data.get("first")]


def add_room_problems(form: forms.Form, rows: Any, error: RungsError) -> None:
    """Show each problem at the field of its room, and the rest above the form."""
    filled = [row for row in rows if row.cleaned_data.get("first")]
    others: list[Problem] = []
    for problem in error.problems:
        _start, subject, *more = problem.pointer.split("/")
        if subject == "rooms" and len(more) == 2 and more[1] in RoomForm.base_fields:
            filled[int(more[0])].add_error(more[1], problem.detail)
        else:
            others.append(problem)
    for problem in others:
        form.add_error("title" if problem.pointer == "/title" else None, problem.detail)
    if not error.problems:
        form.add_error(None, error.detail)
    elif not others:
        form.add_error(None, _("See the fields below."))


def _find_next_quarter(now: datetime) -> datetime:
    """Return the next quarter of an hour."""
    begun = now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0)
    return begun if begun == now else begun + timedelta(minutes=15)


class EveningForm(forms.Form):
    """The times of an evening, and what is played."""

    starts_at = build_time_field(gettext_lazy("Begins"), required=True)
    ends_at = build_time_field(
        pgettext_lazy("an evening", "Ends at the latest"),
        gettext_lazy("Required: no match is planned beyond it."),
        required=True,
    )
    minutes = WholeField(
        label=gettext_lazy("Minutes of a match"),
        min_value=1,
        max_value=MAX_MINUTES,
        help_text=Hall._meta.get_field("minutes").help_text,
    )
    rest = WholeField(
        label=gettext_lazy("Minutes of rest"),
        required=False,
        min_value=0,
        max_value=MAX_MINUTES,
        help_text=Hall._meta.get_field("rest").help_text,
    )

    def __init__(self, hall: Hall, competitions: Sequence[LoadedCompetition], data: Any = None) -> None:
        super().__init__(data, initial={name: getattr(hall, name) for name in self.base_fields})
        begins = hall.starts_at or _find_next_quarter(timezone.now())
        self.initial["starts_at"], self.initial["ends_at"] = begins, hall.ends_at or begins + USUAL_EVENING
        self.parts: dict[str, str] = {}
        chosen: defaultdict[str, list[str]] = defaultdict(list)
        for part in hall.parts:
            chosen[part["competition"]].append(str(part["round"] or ALL_ROUNDS))
        for at, loaded in enumerate(competitions):
            slug = loaded.competition.slug
            name = self.parts[slug] = f"part_{at}"
            rounds = [(str(number), _("Round {number}").format(number=number)) for number in loaded.rounds]
            choices = [("", _("Not this evening")), (ALL_ROUNDS, _("All without a result")), *rounds]
            initial = ALL_ROUNDS if ALL_ROUNDS in chosen[slug] else BETWEEN.join(dict.fromkeys(chosen[slug]))
            if all(initial != value for value, _label in choices):
                # Several rounds of a competition, which only programs choose, or one that was undone.
                labels = (_("Round {number}").format(number=number) for number in initial.split(BETWEEN))
                choices.append((initial, ", ".join(labels)))
            self.fields[name] = forms.ChoiceField(
                label=loaded.competition.title, choices=choices, required=False, initial=initial
            )

    def choose_all(self, data: Mapping[str, str]) -> None:
        """Choose all matches without a result of each competition; ``data``: the times that were typed."""
        for name in self.base_fields:
            self.initial[name] = data.get(name, "")
        for name in self.parts.values():
            self.fields[name].initial = ALL_ROUNDS

    @property
    def part_fields(self) -> list[Any]:
        """The fields of the competitions."""
        return [self[name] for name in self.parts.values()]

    @property
    def time_fields(self) -> list[Any]:
        """The fields of the times."""
        return [self[name] for name in self.base_fields]

    def build_settings(self) -> dict[str, Any]:
        """Return the settings of the evening."""
        data: Mapping[str, Any] = self.cleaned_data
        parts = [
            {"competition": slug, "round": None if chosen == ALL_ROUNDS else int(chosen)}
            for slug, name in self.parts.items()
            if data[name]
            for chosen in data[name].split(BETWEEN)
        ]
        return {**{name: data[name] for name in self.base_fields}, "rest": data["rest"] or 0, "parts": parts}

    def add_problems(self, error: RungsError) -> None:
        """Show each problem at its field."""
        add_errors(self, error, lambda pointer: {"/starts": "starts_at", "/ends": "ends_at"}.get(pointer, pointer[1:]))
