"""The page of one entry: rating, seed, byes, opponents that it must not meet, and withdrawal."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.apps.competitions.models import (
    DETAILS,
    MARKS,
    MAX_ROUNDS,
    Competition,
    EnteredPlayer,
    Entry,
    Fixture,
)
from league.apps.competitions.organiser.confirmations import ask_confirmation, list_confirmed
from league.apps.competitions.organiser.entries import change_entry_status, label_name, may_add_entries
from league.apps.competitions.organiser.entry_texts import (
    describe_empty_boards,
    describe_late_entry,
    describe_next_game,
    describe_withdrawal,
    group_fixtures,
)
from league.apps.competitions.organiser.exchange_number import may_exchange_number
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.organiser.prize_forms import SEXES
from league.apps.competitions.public.standing_places import describe_standing_place
from league.apps.competitions.selectors.competition_data import LoadedCompetition, build_entry_name, load_competition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, FORMATS_WITH_BYES, find_competition
from league.apps.competitions.selectors.fide_elo import build_fide_elo, shows_fide_elo
from league.apps.competitions.selectors.fide_texts import build_fide_context
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.category_checks import MAX_FACT, MAX_YEAR, MIN_YEAR
from league.apps.competitions.services.entries import change_entry
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.core.errors import RungsError
from league.core.players.listed_people import list_rating_lists
from league.models import League
from league.models.recorded import MAX_REASON_LENGTH
from league.web.organiser.forms import add_errors, build_form_field, get_form_key, get_request_username, run_once
from league.web.organiser.site import organiser_page, show
from league.web.sign_in.sessions import viewer_of
from ratings.contract.competition import parse_fraction
from ratings.forms import NumberField, WholeField
from ratings.standings.tie_break_codes import parse_codes
from ratings.tie_breaks.final_order import HAND

#: Byes that an entry may ask for.
BYES = (Fixture.Kind.HALF_BYE, Fixture.Kind.ZERO_BYE, Fixture.Kind.FULL_BYE)
#: For how many rounds they are offered if nobody knows yet how many there will be.
OFFERED_ROUNDS = 10


#: Fields of an entry that the page groups by what an arbiter decides.
PLACED = {
    "not_against", "new_bye", "later_rating", "later_round", "added_points", "added_round",
    "added_reason", "players", *MARKS,
}  # fmt: skip
#: What is known of a person, and so of no side.
OF_PERSONS = ("title", "sex", "born")


def _build_detail(name: str, label: Any, help_text: Any = "") -> Any:
    """Return the form field for a detail of an entry."""
    return build_form_field(Entry._meta.get_field(name), label=label, help_text=help_text)


class EntryForm(forms.Form):
    """What an organiser may change of an entry."""

    name = _build_detail("name", "", gettext_lazy("Empty: the names of its players."))
    players = forms.CharField(
        label=gettext_lazy("Players, one a line"),
        widget=forms.Textarea(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    rating = _build_detail(
        "rating",
        gettext_lazy("Rating"),
        gettext_lazy("Brought along, such as FIDE's. Empty: the league's at the start."),
    )
    seed = _build_detail("seed", gettext_lazy("Seed"), gettext_lazy("By hand. Empty: by rating."))
    title = _build_detail("title", gettext_lazy("Title, e.g. FM"))
    federation = _build_detail("federation", gettext_lazy("Federation"))
    by_hand = _build_detail(
        "by_hand",
        gettext_lazy("Value by hand"),
        gettext_lazy("A number for the tie-break HAND, such as 2 for the winner of a play-off and 1 for the loser."),
    )
    sex = forms.ChoiceField(
        label=gettext_lazy("Sex"), choices=[("", pgettext_lazy("sex", "not stated")), *SEXES[1:]], required=False
    )
    born = WholeField(label=gettext_lazy("Year of birth"), required=False, min_value=MIN_YEAR, max_value=MAX_YEAR)
    club = forms.CharField(
        label=gettext_lazy("Club"),
        required=False,
        max_length=MAX_FACT,
        help_text=gettext_lazy("For categories, like sex and year of birth. Only organisers see it."),
    )
    new_bye = forms.ChoiceField(label=gettext_lazy("Request a bye"), required=False)
    no_byes = forms.BooleanField(
        label=gettext_lazy("No byes with points"),
        required=False,
        help_text=gettext_lazy("Requests for half-point and full-point byes are refused."),
    )
    expelled = forms.BooleanField(
        label=pgettext_lazy("an entry", "Expelled"),
        required=False,
        help_text=gettext_lazy("Left out of the ranks."),
    )
    later_rating = build_form_field(
        Entry._meta.get_field("rating"),
        label=gettext_lazy("Later rating"),
        help_text=gettext_lazy("Of a new list, while a competition of more than 30 days goes on."),
    )
    later_round = WholeField(
        label=gettext_lazy("It applies from round"), required=False, min_value=2, max_value=MAX_ROUNDS
    )
    added_points = NumberField(
        label=gettext_lazy("Points to add"), required=False, help_text=gettext_lazy("Negative: to take.")
    )
    added_round = WholeField(
        label=gettext_lazy("They count after round"), required=False, min_value=0, max_value=MAX_ROUNDS
    )
    added_reason = forms.CharField(label=gettext_lazy("Reason"), required=False, max_length=MAX_REASON_LENGTH)

    def __init__(self, loaded: LoadedCompetition, entry: Entry, data: Any = None) -> None:
        initial = {name: getattr(entry, name) for name in (*DETAILS, *MARKS)}
        super().__init__(data, initial={**initial, "not_against": [str(number) for number in entry.not_against]})
        others = [(str(number), loaded.name(number)) for number in loaded.entries if number != entry.number]
        self.fields["not_against"] = forms.MultipleChoiceField(
            label=_("Must not meet"), choices=others, required=False, widget=forms.CheckboxSelectMultiple
        )
        self._offer_byes(loaded)
        self.own = {name for one in loaded.competition.categories for name in one.get("own", {})}
        self.own |= entry.about.keys() - {"sex", "born", "club"}
        for name in sorted(self.own):
            self.fields[f"own-{name}"] = forms.CharField(label=name, required=False, max_length=MAX_FACT)
        for name, value in entry.about.items():
            self.initial[name if name in ("sex", "born", "club") else f"own-{name}"] = value
        self.entry = entry
        if not others or loaded.competition.status == Competition.Status.FINISHED or _is_last_round_made(loaded):
            # No round is left in which they could meet.
            del self.fields["not_against"]
        #: How the players of a side are named on the page -> their handles.
        self.named = _name_players(entry.survivors)
        if loaded.competition.sides_of == 1:
            del self.fields["name"], self.fields["players"]
        else:
            self._ask_as_a_side(loaded.competition)
        if not loaded.competition.long:
            del self.fields["later_rating"], self.fields["later_round"]
        if not any(choice.tie_break is HAND for choice in parse_codes(loaded.competition.tie_breaks)):
            del self.fields["by_hand"]
        if loaded.competition.status not in (Competition.Status.DRAFT, Competition.Status.OPEN):
            for name in {"rating", "seed", "players"} & self.fields.keys():
                del self.fields[name]
        if entry.status != Entry.Status.WITHDRAWN and not entry.expelled:
            # Whoever plays is expelled by a withdrawal.
            del self.fields["expelled"]

    def _offer_byes(self, loaded: LoadedCompetition) -> None:
        """Offer byes in the rounds that are not made yet, in formats that have them."""
        made = max(loaded.rounds, default=0)
        last = loaded.planned_rounds or min(made + OFFERED_ROUNDS, MAX_ROUNDS)
        rounds = range(made + 1, last + 1)
        if not rounds or loaded.competition.format not in FORMATS_WITH_BYES:
            del self.fields["new_bye"]
            return
        template = _("Round {round}: {bye}")
        offered = [
            (f"{number} {kind.value}", template.format(round=number, bye=kind.label))
            for number in rounds
            for kind in BYES
        ]
        field: Any = self.fields["new_bye"]
        field.choices = [("", _("no bye")), *offered]

    def _ask_as_a_side(self, competition: Competition) -> None:
        """Ask for what a side has; what was stored of it otherwise can still be removed."""
        for name in OF_PERSONS:
            if not self.initial.get(name):
                del self.fields[name]
        self.fields["name"].label = label_name(competition)
        self.initial["players"] = "\n".join(self.named)
        self.fields["players"].widget.attrs["rows"] = max(len(self.named), competition.sides_of) + 1
        if competition.teams:
            self.fields["players"].help_text = _(
                "Boards are filled in this order: nobody sits before a player of a higher place."
            )
        self.fields["club"].help_text = _("For categories. Only organisers see it.")

    @property
    def person_fields(self) -> list[forms.BoundField]:
        """The fields of who enters; the others have places of their own on the page."""
        return [field for field in self if field.name not in PLACED]

    @property
    def mark_fields(self) -> list[forms.BoundField]:
        """The fields of what an arbiter notes."""
        return [self[name] for name in MARKS if name in self.fields]

    def clean(self) -> dict[str, Any]:
        """Require a later rating and its round together, and the round of added points."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        later = {"later_rating", "later_round"}
        if not later & self.errors.keys() and (data.get("later_rating") is None) != (data.get("later_round") is None):
            missing = "later_round" if data.get("later_round") is None else "later_rating"
            self.add_error(missing, _("Enter both the later rating and the round from which it applies."))
        # A decimal comma, as many write.
        data["by_hand"] = data.get("by_hand", "").replace(",", ".")
        if data.get("added_points") is not None and data.get("added_round") is None:
            self.add_error("added_round", _("Enter the round after which the points count."))
        return data

    def build_changes(self, kept_byes: list[str], kept_points: list[str], kept_later: list[str]) -> dict[str, Any]:
        """Return the changed values; of byes and later ratings these rounds stay, of added points these places."""
        data = self.cleaned_data
        changes: dict[str, Any] = {
            name: data[name]
            for name in (*DETAILS, *MARKS)
            if name in self.fields and data[name] != getattr(self.entry, name)
        }
        about = {name: data[name] for name in ("sex", "born", "club") if data.get(name)}
        about |= {name: data[f"own-{name}"] for name in self.own if data[f"own-{name}"]}
        if about != self.entry.about:
            changes["about"] = about
        if "players" in self.fields:
            lines = [" ".join(line.split()) for line in data["players"].splitlines()]
            players = [self.named.get(line, line) for line in lines if line]
            if players != [*self.named.values()]:
                changes["players"] = players
        byes = [bye for bye in self.entry.byes if str(bye["round"]) in kept_byes]
        if data.get("new_bye"):
            number, kind = data["new_bye"].split()
            byes = [bye for bye in byes if bye["round"] != int(number)]
            byes.append({"round": int(number), "kind": kind})
        byes.sort(key=lambda bye: int(bye["round"]))
        if byes != self.entry.byes:
            changes["byes"] = byes
        later = [one for one in self.entry.later_ratings if str(one["from_round"]) in kept_later]
        if data.get("later_rating") is not None:
            later = [one for one in later if one["from_round"] != data["later_round"]]
            later.append({"from_round": data["later_round"], "rating": data["later_rating"], "rating_from": ""})
        if later != self.entry.later_ratings:
            changes["later_ratings"] = later
        added = [one for at, one in enumerate(self.entry.added_points) if str(at) in kept_points]
        if data["added_points"] is not None:
            points = str(parse_fraction(data["added_points"]))
            added.append({"round": data["added_round"], "points": points, "reason": data["added_reason"]})
        if added != self.entry.added_points:
            changes["added_points"] = added
        not_against = sorted(int(number) for number in data.get("not_against", self.entry.not_against))
        if not_against != sorted(self.entry.not_against):
            changes["not_against"] = not_against
        return changes


def _name_players(players: Sequence[EnteredPlayer]) -> dict[str, str]:
    """Return name -> handle of each player of a side; namesakes in it, and whose name is a handle, have it as name."""
    names, handles = Counter(player.name for player in players), {player.handle for player in players}
    return {
        player.handle if names[player.name] > 1 or player.name in handles else player.name: player.handle
        for player in players
    }


def _is_last_round_made(loaded: LoadedCompetition) -> bool:
    """Return whether every planned round is paired."""
    return bool(loaded.planned_rounds) and loaded.planned_rounds in loaded.rounds


@organiser_page("arbitrate")
def show_entry(request: HttpRequest, league: League, competition: str, number: int) -> HttpResponse:
    """Show an entry, change or withdraw it."""
    found = find_competition(league, competition, for_organisers=True)
    loaded = load_competition(found)
    entry = loaded.entries.get(number) or next((one for one in loaded.waiting if one.number == number), None)
    if entry is None:
        raise Http404
    form = EntryForm(loaded, entry, request.POST if request.method == "POST" else None)
    name = build_entry_name(entry)
    if form.is_bound and form.is_valid():
        try:
            messages.success(request, _save(request, league, loaded, entry, form))
        except ConfirmationNeeded as needed:
            return ask_confirmation(request, found, needed)
        except RungsError as error:
            add_errors(form, error, _find_field)
        else:
            return HttpResponseRedirect(reverse("desk:entries", args=[league.slug, found.slug]))
    kinds = {kind.value: kind.label for kind in BYES}
    fixtures = group_fixtures(loaded).get(number, [])
    return show(
        request,
        league,
        "apps/competitions/organiser/entry.html",
        "competitions",
        **build_frame(request, loaded),
        form=form,
        entry=entry,
        name=name,
        byes=[(bye["round"], kinds.get(bye["kind"], bye["kind"])) for bye in entry.byes],
        decisions=list(enumerate(entry.added_points)),
        may_return=entry.status == Entry.Status.WITHDRAWN and may_add_entries(found),
        late=describe_late_entry(loaded, entry, fixtures),
        empty_boards=describe_empty_boards(found, entry),
        standing="" if found.format in BRACKET_FORMATS or entry.expelled else describe_standing_place(loaded, number),
        next_game=describe_next_game(loaded, number, fixtures),
        withdrawal=describe_withdrawal(loaded, fixtures),
        has_rating_lists=bool(list_rating_lists()),
        may_exchange=may_exchange_number(loaded, number),
        once=get_form_key(request),
        key=get_form_key(request, new=True),
        **_build_fide_sums(loaded, number),
    )


def _find_field(pointer: str) -> str:
    """Return the field of a problem; those of added points are of the new ones, as the others were checked."""
    parts = pointer.strip("/").split("/")
    if parts[0] == "byes":
        return "new_bye"
    if parts[0] == "later_ratings":
        return "later_rating"
    if parts[0] != "added_points":
        return parts[0]
    return {"round": "added_round", "reason": "added_reason"}.get(parts[-1], "added_points")


def _build_fide_sums(loaded: LoadedCompetition, number: int) -> dict[str, Any]:
    """Return what is shown of FIDE's sums, once games were played."""
    if number not in loaded.entries or not shows_fide_elo(loaded):
        return {}
    sums = build_fide_elo(loaded, compute_standings(loaded).table, number)
    return build_fide_context(sums, {one: loaded.name(one) for one in loaded.entries})


def _save(request: HttpRequest, league: League, loaded: LoadedCompetition, entry: Entry, form: EntryForm) -> str:
    """Change or withdraw an entry; returns the message."""
    returns = "_return" in request.POST
    if returns or "_withdraw" in request.POST:
        return change_entry_status(request, league, loaded, entry, returns=returns)
    changes = form.build_changes(*(request.POST.getlist(name) for name in ("bye", "added", "later")))
    if not changes:
        return _("Nothing was changed.")
    username, slug = get_request_username(request), entry.competition.slug

    def change() -> dict[str, Any]:
        change_entry(
            league.pk,
            slug,
            entry.number,
            changes,
            by=username,
            viewer=viewer_of(request),
            confirmed=list_confirmed(request),
        )
        return {}

    run_once(request, change)
    return _("{name} was changed.").format(name=build_entry_name(entry))
