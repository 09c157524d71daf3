"""Entries: chosen from the league's players or pasted, seeds by hand, and check-in on the evening."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.apps.competitions.models import Competition, Entry, Fixture
from league.apps.competitions.organiser.entry_lines import PastedEntry, parse_entry_lines
from league.apps.competitions.organiser.entry_texts import (
    count_forfeits,
    describe_empty_boards,
    describe_late_entry,
    describe_withdrawal,
    group_fixtures,
)
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.organiser.pasted_people import (
    find_listed_people,
    find_only_namesakes,
    find_players_by_number,
    is_id,
    is_listed,
    list_unlisted_ids,
)
from league.apps.competitions.selectors.brought_ratings import sort_by_rating
from league.apps.competitions.selectors.competition_data import LoadedCompetition, build_entry_name, load_competition
from league.apps.competitions.selectors.competitions import FORMATS_WITH_BYES, find_competition
from league.apps.competitions.services.entries import NewEntry, change_entry, withdraw_entry
from league.apps.competitions.services.entry_checks import find_entry
from league.apps.competitions.services.entry_players import list_squad_sizes
from league.apps.competitions.services.listed_entries import ListedChoice, add_listed_entries
from league.apps.competitions.services.seeding import preview_numbers
from league.core.errors import Refused, RungsError
from league.core.players.listed_people import list_rating_lists
from league.core.players.selectors.search import ResolvedName, load_offered_players, resolve_names
from league.models import League
from league.web.organiser.forms import (
    add_form_error,
    get_form_key,
    get_request_username,
    parse_whole_number,
    run_once,
)
from league.web.organiser.previewed_actions import offer_undo, pop_undo
from league.web.organiser.selectors import find_players_in, find_players_without_league
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of


class PlayerOffer(NamedTuple):
    """Players to tick, each with handle and name. ``is_own``: of the league or of none; others show once searched."""

    label: str
    pairs: list[tuple[str, str]]
    is_own: bool
    is_open: bool


#: The choice for an unknown name that a new player is added.
NEW_PLAYER = "+"
BEFORE_START = (Competition.Status.DRAFT, Competition.Status.OPEN)


class EntriesForm(forms.Form):
    """New entries: pasted lines, and the name of the side that the chosen players are."""

    lines = forms.CharField(
        label=gettext_lazy("Paste names"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
    )
    name = forms.CharField(max_length=120, required=False)
    missed = forms.TypedChoiceField(
        label=gettext_lazy("Half-point bye in a round that was missed"), required=False, coerce=int
    )

    def __init__(self, data: Any, missed: Sequence[int] = ()) -> None:
        super().__init__(data)
        choices = [(str(number), _("Round {round}").format(round=number)) for number in missed]
        cast("forms.ChoiceField", self.fields["missed"]).choices = [("", _("none")), *choices]
        if not missed:
            del self.fields["missed"]

    #: What names each new entry in errors.
    labels: Sequence[str] = ()
    #: Pasted names that name no player for certain.
    unknown: Sequence["UnknownText"] = ()

    @property
    def is_undecided(self) -> bool:
        """Whether someone must still be chosen for a pasted name."""
        return not all(one.chosen for one in self.unknown)

    @property
    def strangers(self) -> list[str]:
        """The pasted names that are like no player's."""
        return [one.text for one in self.unknown if not one.near]

    @property
    def names_in_lists(self) -> list[str]:
        """The pasted names for which a person of a rating list is selected."""
        return [one.text for one in self.unknown if is_listed(one.preselected)]

    @property
    def undecided_names(self) -> list[str]:
        """The other pasted names that name no player for certain."""
        return [one.text for one in self.unknown if not is_listed(one.preselected)]

    def add_problems(self, error: RungsError) -> None:
        """Show an error above the form, each problem with the entry that it is about."""
        for problem in error.problems:
            parts = problem.pointer.split("/")
            index = int(parts[2]) if parts[1:2] == ["entries"] and parts[2:] and parts[2].isdigit() else -1
            label = f"{self.labels[index]}: " if 0 <= index < len(self.labels) else ""
            self.add_error(None, f"{label}{problem.detail}")
        if not error.problems:
            add_form_error(self, error)


@dataclass(frozen=True)
class UnknownText:
    """A text that names no player of the league for certain: candidates (handle, name), and what was chosen.

    ``proposed``: who is meant unless something else is chosen.
    """

    text: str
    near: Sequence[tuple[str, str]]
    chosen: str
    is_ambiguous: bool
    proposed: str = ""

    @property
    def preselected(self) -> str:
        """Return what the page selects."""
        return self.chosen or self.proposed


@dataclass(frozen=True)
class EntryRow:
    """An entry in the list: its number, before the start as it would be now (0: on the waiting list).

    ``late``: of one that came late, since when it plays. ``withdrawal``: what follows if it withdraws.
    ``empty_boards``: of a team that cannot fill all boards, how many it can.
    """

    entry: Entry
    name: str
    number: int = 0
    late: str = ""
    withdrawal: str = ""
    empty_boards: str = ""

    @property
    def members(self) -> str:
        """The names of the players, unless they are the name of the entry."""
        return ", ".join(player.name for player in self.entry.survivors) if self.entry.name else ""


@organiser_page("arbitrate")
def list_entries(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Show the entries and the form for new ones, or add entries."""
    found = find_competition(league, competition, for_organisers=True)
    missed = list_missed_rounds(found)
    form = EntriesForm(request.POST if request.method == "POST" else None, missed)
    form.fields["name"].label = label_name(found)
    if "_seeds" in request.POST:
        return _save_seeds(request, league, found)
    if "_withdraw" in request.POST or "_return" in request.POST:
        return _change_status(request, league, found)
    if form.is_bound and form.is_valid():
        try:
            _add(request, league, found, form)
        except RungsError as error:
            form.add_problems(error)
        else:
            if not form.errors and not form.is_undecided:
                return HttpResponseRedirect(reverse("desk:entries", args=[league.slug, found.slug]))
    loaded = load_competition(found)
    entered = {player.handle for entry in loaded.entries.values() for player in entry.survivors}
    offered = [pair for pair in load_offered_players(league, viewer_of(request)) if pair[0] not in entered]
    handles = [handle for handle, _name in offered]
    rows = build_rows(loaded)
    own = {*find_players_in(league, handles), *find_players_without_league(handles)}
    picked = request.POST.getlist("player")
    return show(
        request,
        league,
        "apps/competitions/organiser/entries.html",
        "competitions",
        **build_frame(request, loaded),
        form=form,
        offers=_build_offers(found, offered, own, picked, unfold=not form["lines"].value()),
        picked=picked,
        rows=rows,
        waiting=[EntryRow(entry, build_entry_name(entry)) for entry in loaded.waiting],
        has_ratings=any(row.entry.rating is not None for row in rows),
        # Of a side without a name the names of all players.
        has_long_names=found.sides_of > 1 and not all(row.entry.name for row in rows),
        seeds_by_hand=found.seeding == Competition.Seeding.HAND and found.status in BEFORE_START,
        may_add=may_add_entries(found),
        has_rating_lists=bool(list_rating_lists()),
        once=get_form_key(request),
        undo=pop_undo(request, league),
    )


def build_rows(loaded: LoadedCompetition) -> list[EntryRow]:
    """Return the entries by number; before the start with the numbers and ratings that they would get now."""
    if loaded.competition.status not in BEFORE_START:
        fixtures = group_fixtures(loaded)
        return [
            EntryRow(
                entry,
                build_entry_name(entry),
                entry.pairing_number,
                describe_late_entry(loaded, entry, fixtures.get(entry.number, [])),
                describe_withdrawal(loaded, fixtures.get(entry.number, [])),
                describe_empty_boards(loaded.competition, entry),
            )
            for entry in loaded.entries.values()
        ]
    return [
        EntryRow(entry, build_entry_name(entry), number, empty_boards=describe_empty_boards(loaded.competition, entry))
        for number, entry in enumerate(preview_numbers(loaded.competition, loaded.entries.values()), 1)
    ]


def label_name(competition: Competition) -> str:
    """Return the label of the name of a side."""
    return _("Name of the team") if competition.teams else _("Name of the side")


def may_add_entries(competition: Competition) -> bool:
    """Return whether entries can be added; some formats take them after the start."""
    late = competition.status == Competition.Status.RUNNING and competition.format in ("swiss", "tables", "free")
    return late or competition.status in BEFORE_START


def list_missed_rounds(competition: Competition) -> list[int]:
    """Return the rounds in which a late entry may have a bye: those that were made."""
    if competition.status != Competition.Status.RUNNING or competition.format not in FORMATS_WITH_BYES:
        return []
    return list(competition.round_rows.order_by("number").values_list("number", flat=True))


def _change_status(request: HttpRequest, league: League, competition: Competition) -> HttpResponse:
    """Withdraw the entry of a row, or enter it again."""
    returns = "_return" in request.POST
    number = parse_whole_number(request.POST["_return" if returns else "_withdraw"], 4)
    loaded = load_competition(competition)
    # Before the start a withdrawn entry is among none of the loaded ones.
    entry = find_entry(competition, number or 0)
    try:
        messages.success(request, change_entry_status(request, league, loaded, entry, returns=returns))
    except RungsError as error:
        add_error_message(request, error)
    return HttpResponseRedirect(reverse("desk:entries", args=[league.slug, competition.slug]))


def change_entry_status(
    request: HttpRequest, league: League, loaded: LoadedCompetition, entry: Entry, *, returns: bool
) -> str:
    """Withdraw an entry, which can be undone if nothing else follows, or enter it again; returns the message.

    ``expelled`` in the request: it withdraws because the arbiter expels it.
    """
    slug, username = entry.competition.slug, get_request_username(request)
    is_expelled = not returns and "expelled" in request.POST

    def change() -> dict[str, Any]:
        if returns:
            change_entry(league.pk, slug, entry.number, {"status": Entry.Status.ENTERED}, by=username)
        elif is_expelled:
            change_entry(league.pk, slug, entry.number, {"expelled": True}, by=username)
        else:
            withdraw_entry(league.pk, slug, entry.number, by=username)
        return {}

    run_once(request, change)
    if is_expelled:
        return _("{name} was expelled.").format(name=build_entry_name(entry))
    if not returns and _may_undo_withdrawal(loaded, entry):
        address = reverse("desk:entries", args=[league.slug, slug])
        offer_undo(request, league, address, fields={"_return": str(entry.number)})
    message = _("{name} is entered again.") if returns else _("{name} is withdrawn.")
    return message.format(name=build_entry_name(entry))


def _may_undo_withdrawal(loaded: LoadedCompetition, entry: Entry) -> bool:
    """Return whether an entry that withdraws can come back as it was: no forfeit, and nobody gets its place."""
    return (
        entry.status == Entry.Status.ENTERED
        and may_add_entries(loaded.competition)
        and not loaded.waiting
        and not count_forfeits(loaded, group_fixtures(loaded).get(entry.number, []))
    )


def _save_seeds(request: HttpRequest, league: League, competition: Competition) -> HttpResponse:
    """Store the seeds that changed; none if one of them is no number."""
    entries = load_competition(competition).entries
    typed = {number: request.POST.get(f"seed-{number}", "").strip() for number in entries}
    seeds = {number: parse_whole_number(text, 4) for number, text in typed.items()}
    wrong = [build_entry_name(entries[number]) for number, text in typed.items() if text and not seeds[number]]
    try:
        if wrong:
            raise Refused(_("A seed is a whole number from 1: {names}.").format(names=", ".join(wrong)))
        with transaction.atomic():
            for number, seed in seeds.items():
                if seed != entries[number].seed:
                    change_entry(league.pk, competition.slug, number, {"seed": seed}, by=get_request_username(request))
        messages.success(request, _("The seeds were saved."))
    except RungsError as error:
        add_error_message(request, error)
    return HttpResponseRedirect(reverse("desk:entries", args=[league.slug, competition.slug]))


def _add(request: HttpRequest, league: League, competition: Competition, form: EntriesForm) -> None:
    """Add the entries of a form, unless problems or names to be decided remain in it."""
    lines, problems = parse_entry_lines(form.cleaned_data["lines"], list_squad_sizes(competition))
    for problem in problems:
        form.add_error("lines", problem)
    picked = request.POST.getlist("player")
    if problems:
        return
    if not lines and not picked:
        raise Refused(_("Choose players, or paste names."))
    resolved = resolve_names([text for line in lines for text in line.new.players], league, viewer_of(request))
    chosen = dict(zip(request.POST.getlist("text"), request.POST.getlist("means"), strict=False))
    texts = [text for text, player in resolved.items() if not player.handle]
    # A side is of players of the league; its members are not looked up.
    are_looked_up = competition.sides_of == 1 and not competition.teams
    listed = find_listed_people(texts) if are_looked_up else {}
    if are_looked_up:
        with_ids = find_players_by_number(texts, listed, league, viewer_of(request))
        resolved |= with_ids
        if _refuse_unlisted_ids(form, lines, list_unlisted_ids(texts, {*listed, *with_ids})):
            return
    form.unknown = _list_unknown(resolved, listed, chosen)
    if form.is_undecided:
        return
    from_lists = [line for line in lines if is_listed(chosen.get(line.new.players[0], ""))]
    choices = [ListedChoice.read(chosen[one.new.players[0]], one.new, line=one.line) for one in from_lists]
    typed = [line.new for line in lines if line not in from_lists]
    handles = {text: player.handle for text, player in resolved.items() if player.handle}
    handles |= {text: text if choice == NEW_PLAYER else choice for text, choice in chosen.items()}
    chosen_entries = _build_picked(picked, form.cleaned_data["name"], competition)
    form.labels = [", ".join(one.players) for one in (*(line.new for line in from_lists), *chosen_entries, *typed)]
    new = [*chosen_entries, *(_name_players(one, handles) for one in typed)]
    if missed := form.cleaned_data.get("missed"):
        for one in (*new, *(line.new for line in from_lists)):
            one.byes = [{"round": missed, "kind": Fixture.Kind.HALF_BYE.value}]
    by, viewer, creates = get_request_username(request), viewer_of(request), NEW_PLAYER in chosen.values()

    def add() -> dict[str, Any]:
        with transaction.atomic():
            added = add_listed_entries(
                league.pk, competition.slug, choices, by=by, viewer=viewer, others=new, create_players=creates
            )
            return {"numbers": [entry.number for entry in added.entries], "warnings": added.warnings}

    answer = run_once(request, add).answer
    count = len(answer["numbers"])
    said = ngettext("{count} entry was added.", "{count} entries were added.", count).format(count=count)
    messages.success(request, " ".join([said, *answer["warnings"]]))


def _refuse_unlisted_ids(form: EntriesForm, lines: Sequence[PastedEntry], texts: Collection[str]) -> bool:
    """Add an error for each line with an id that no rating list has; return whether there is one."""
    wrong = [(line.line, line.new.players[0]) for line in lines if line.new.players[0] in texts]
    for number, text in wrong:
        form.add_error("lines", _("Line {line}: no rating list has the id {id}.").format(line=number, id=text))
    return bool(wrong)


def _list_unknown(
    resolved: Mapping[str, ResolvedName], listed: Mapping[str, list[tuple[str, str]]], chosen: dict[str, str]
) -> list[UnknownText]:
    """Return the texts that name no player for certain. An id of one person is chosen; a name is only proposed."""
    unknown = [text for text, player in resolved.items() if not player.handle]
    # Not if a player of the league has a similar name.
    proposed = find_only_namesakes(text for text in listed if not resolved[text].near)
    for text in unknown:
        people = listed.get(text, [])
        if len(people) == 1 and is_id(text) and not resolved[text].is_ambiguous:
            chosen.setdefault(text, people[0][0])
    return [
        UnknownText(
            text,
            [*resolved[text].near, *listed.get(text, [])],
            chosen.get(text, ""),
            resolved[text].is_ambiguous,
            proposed.get(text, ""),
        )
        for text in unknown
    ]


def _name_players(new: NewEntry, handles: dict[str, str]) -> NewEntry:
    """Return a pasted entry with the handles of its players."""
    new.players = [handles[text] for text in new.players]
    return new


def _build_offers(
    competition: Competition,
    offered: Sequence[tuple[str, str]],
    own: Collection[str],
    picked: Collection[str],
    *,
    unfold: bool,
) -> list[PlayerOffer]:
    """Return the players to choose from, those of other leagues apart; lists without players are left out."""
    label = _("Choose from the league's players")
    if competition.sides_of > 1:
        label = _("Choose the players of a team") if competition.teams else _("Choose the players of a side")
    ours = [pair for pair in offered if pair[0] in own]
    others = [pair for pair in offered if pair[0] not in own]
    offers = (
        PlayerOffer(label, ours, True, unfold or bool(picked)),
        PlayerOffer(
            _("Choose from players of other leagues"), others, False, any(handle in picked for handle, _name in others)
        ),
    )
    return [offer for offer in offers if offer.pairs]


def _build_picked(picked: Sequence[str], name: str, competition: Competition) -> list[NewEntry]:
    """Return an entry for each chosen player; in a competition of sides the chosen players are one side.

    Players sit on the boards in the order of their team: ticks have none, so it is that of the ratings.
    """
    if competition.sides_of > 1:
        players = sort_by_rating(competition.league_id, picked) if competition.teams else picked
        return [NewEntry(players=players, name=name)] if picked else []
    return [NewEntry(players=[handle]) for handle in picked]
