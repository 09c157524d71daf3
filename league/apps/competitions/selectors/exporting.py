"""A competition as the data of files: tournament reports, and CSV of fixtures."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.files.csv_fixtures import FixtureCsvRow
from league.apps.competitions.files.fixture_plan import read_plan
from league.apps.competitions.files.trf_reading import read_trf
from league.apps.competitions.models import Entry, SourceFile
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, build_entry_name
from league.apps.competitions.selectors.competitions import USUAL_TIE_BREAKS, build_format, get_zone
from league.apps.competitions.selectors.forbidden_groups import list_forbidden, list_pairs
from league.apps.competitions.selectors.game_points import are_awarded
from league.apps.competitions.selectors.national_ratings import build_national
from league.apps.competitions.selectors.pairing_input import has_withdrawn, list_requested_byes
from league.apps.competitions.selectors.pairing_numbers import list_pairing_numbers, renumber_entries
from league.apps.competitions.selectors.report_head import list_days, read_head
from league.apps.competitions.selectors.report_remarks import list_remarks
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.selectors.team_reports import build_team_report
from league.core.errors import Problem, Refused
from league.core.text.names import build_name_key
from league.models import Alias, ExternalId, Game
from ratings.contract.competition import ByeKind, CompetitionData, FixtureData, RoundData, Seat
from ratings.contract.pairing_format import PairingRequest
from ratings.pairing_formats.swiss import Swiss
from ratings.person_names import put_surname_first
from ratings.standings.tie_break_codes import normalize_codes
from ratings.trf.building import build_document, build_remark_lines
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.document import TrfByes, TrfDocument, TrfForbidden, TrfPlayer
from ratings.trf.formats import TrfFormat
from ratings.trf.problems import CannotWriteTrf
from ratings.trf.writing import TrfVersion, write_trf

#: Result that only the report has -> the places of White and Black.
BOTH_LOST = "0-0"
REPORTED = {"1-0": (1, 2), "=-=": (1, 1), "0-1": (2, 1), BOTH_LOST: (1, 1)}


def export_report(
    loaded: LoadedCompetition,
    version: TrfVersion | None = None,
    *,
    for_organisers: bool = True,
    with_remarks: bool | None = None,
) -> bytes:
    """Return the tournament report of a competition; one that was imported keeps the lines that still hold.

    ``version`` None: as imported, else TRF26. Only organisers get the lines of those who must not meet.
    ``with_remarks``: what an arbiter changed by hand, in lines ###; None: if it is or was held to the regulations.
    Raises Refused for what the format has no place for.
    """
    refuse_adjourned(loaded)
    try:
        document = _build_document(loaded, version, with_people=for_organisers)
        if with_remarks is None:
            with_remarks = loaded.competition.regulations or loaded.competition.regulations_left is not None
        if with_remarks and version != "16":
            document = _add_remarks(document, loaded)
        lines = [line for line in document.lines if for_organisers or not isinstance(line.value, TrfForbidden)]
        return write_trf(replace(document, lines=tuple(lines)), version=version)
    except CannotWriteTrf as error:
        raise Refused(str(error)) from None


def refuse_adjourned(loaded: LoadedCompetition, rounds: Container[int | None] | None = None) -> None:
    """Raise Refused if a game of some rounds (None: all) is adjourned: by the regulations there is no report then."""
    template = _("{entries} of round {round} is adjourned. By the regulations there is no report before it has ended.")
    problems = [
        Problem(
            f"/fixtures/{fixture.number}",
            "adjourned_game",
            template.format(entries=loaded.join_names(fixture.entries), round=fixture.round),
        )
        for fixture in loaded.fixtures
        if loaded.competition.regulations and fixture.data.adjourned and (rounds is None or fixture.round in rounds)
    ]
    if problems:
        raise Refused.of(problems)


def _add_remarks(document: TrfDocument, loaded: LoadedCompetition) -> TrfDocument:
    """Return a document with the remarks that it does not have yet, at its end."""
    there = {(line.text or "").removeprefix("###").strip() for line in document.lines if line.tag == "###"}
    new = build_remark_lines(text for text in list_remarks(loaded) if text not in there)
    if not new:
        return document
    *lines, last = document.lines
    return replace(document, lines=(*lines, replace(last, end=last.end or "\n"), *new))


def _build_document(loaded: LoadedCompetition, version: TrfVersion | None, *, with_people: bool) -> TrfDocument:
    """Return the document of ``export_report``; raises Refused."""
    by_numbers = renumber_entries(loaded)
    if loaded.competition.teams and version != "16":
        return build_team_report(by_numbers)
    if loaded.competition.sides_of > 1:
        raise Refused(_("The format has single players only. Export CSV or JSON."))
    ranks = {row.entry: row.rank for row in compute_standings(by_numbers).rows if not row.left_out}
    document, stored = load_source(loaded)
    current = build_report(by_numbers, stored, with_people=with_people)
    if document is None or stored is None or by_numbers is not loaded:
        return build_document(current, ranks=ranks, version=version or "26")
    updated = _update_document(document, stored, current, ranks)
    if updated and current.ranking and version != "16":
        updated = _replace_national(updated, current)
    return updated or build_document(current, ranks=ranks, version=version or "26")


def load_source(loaded: LoadedCompetition) -> tuple[TrfDocument, TrfCompetition] | tuple[None, None]:
    """Return the imported file as a document, and as a competition whose players have the numbers of today."""
    source = SourceFile.objects.filter(league=loaded.competition.league_id, competition=loaded.competition).first()
    if source is None or not source.data:
        return None, None
    document = read_trf(bytes(source.data), encoding=source.encoding, with_days=False)
    read, numbers = read_competition(document), list_pairing_numbers(loaded)
    players = tuple(replace(player, number=numbers.get(player.number, player.number)) for player in read.players)
    return document, replace(read, players=players)


def _update_document(
    document: TrfDocument, stored: TrfCompetition, current: TrfCompetition, ranks: Mapping[int, int]
) -> TrfDocument | None:
    """Return an imported document with the lines of players whose results changed; None if it must be built anew."""
    if document.players.keys() != {player.number for player in current.players}:
        return None
    before = {player.number: player for player in build_document(stored).list_values(TrfPlayer)}
    for player in build_document(current, ranks=ranks).list_values(TrfPlayer):
        old = before[player.number]
        if (player.rounds, player.rating, player.name) != (old.rounds, old.rating, old.name):
            document = document.change_player(player)
    if (current.byes, len(current.data.rounds)) != (stored.byes, len(stored.data.rounds)):
        document = _replace_byes(document, build_document(current))
    # A file without tie-breaks got the usual ones.
    codes = normalize_codes(stored.tie_breaks) or USUAL_TIE_BREAKS.get(current.format.key, [])
    if current.tie_breaks != tuple(codes):
        document = _replace_lines(document, build_document(current), ("202", "212"))
    if current.forbidden != stored.forbidden:
        document = _replace_lines(document, build_document(current), ("260", "XXP"))
    if _list_added(current) != _list_added(stored):
        document = _replace_lines(document, build_document(current), ("299",))
    head = {"032": "federation", "102": "arbiter", "222": "seconds"}
    for tag, name in head.items():
        if getattr(current, name) != getattr(stored, name):
            document = _replace_lines(document, build_document(current), (tag,))
    if current.data.points != stored.data.points:
        document = _replace_lines(document, build_document(current), ("162", "XXS"))
    return document


def _replace_lines(document: TrfDocument, current: TrfDocument, tags: Sequence[str]) -> TrfDocument:
    """Return an imported document with the lines of some tags as they are now, before those of the players."""
    kept = [line for line in document.lines if line.tag not in tags]
    at = next((at for at, line in enumerate(kept) if line.tag == "001"), len(kept))
    kept[at:at] = current.list_lines(*tags)
    return replace(document, lines=tuple(kept))


def _replace_national(document: TrfDocument, current: TrfCompetition) -> TrfDocument:
    """Return an imported document with the ratings of a federation as they are now: line 172, and lines at the end."""
    built = build_document(current)
    document = _replace_lines(document, built, ("172",))
    own = list(built.list_lines(current.nation))
    kept = [line for line in document.lines if not own or line.tag != current.nation]
    if not kept[-1].end:
        kept[-1] = replace(kept[-1], end="\n")
    return replace(document, lines=(*kept, *own))


def _replace_byes(document: TrfDocument, current: TrfDocument) -> TrfDocument:
    """Return an imported document with the byes of rounds to come as they are now."""
    paired = current.paired_rounds
    kept = [
        line
        for line in document.lines
        if not (isinstance(line.value, TrfByes) and (not line.value.round or line.value.round > paired))
    ]
    if kept and not kept[-1].end:
        kept[-1] = replace(kept[-1], end="\n")
    return replace(document, lines=(*kept, *(line for line in current.lines if isinstance(line.value, TrfByes))))


def build_report(
    loaded: LoadedCompetition, stored: TrfCompetition | None, *, with_people: bool = False
) -> TrfCompetition:
    """Return a competition as the data of a tournament report; ``stored``: what was imported.

    ``with_people``: with sex and year of birth, which only organisers see.
    """
    competition = loaded.competition
    data = _without_scores(_correct_for_report(loaded).data)
    by_number = {} if stored is None else {player.number: player for player in stored.players}
    ids = _load_fide_ids(loaded)
    aliases = set() if stored is None else _load_aliases(loaded)
    players = tuple(
        _build_player(number, entry, by_number.get(number), ids, aliases, with_people=with_people)
        for number, entry in loaded.entries.items()
    )
    parameters = competition.parameters
    starts, ends = list_days(competition)
    values: dict[str, Any] = {
        "starts": starts,
        "ends": ends,
        "round_days": tuple(
            day if (day := find_round_day(loaded, number)) and (starts or day) <= day <= (ends or day) else None
            for number in range(1, len(data.rounds) + 1)
        ),
        "title": competition.title,
        "data": data,
        "players": players,
        "format": TrfFormat(
            competition.format,
            parameters.get("turns") == "double",
            parameters.get("exchange", "yes") == "yes",
            parameters.get("acceleration", "none").replace("none", ""),
        ),
        "byes": _list_byes(loaded),
        "unrated": list_unrated(loaded),
        "tie_breaks": tuple(competition.tie_breaks),
        "first_colour": _find_first_colour(loaded),
        **build_national(loaded, players),
    }
    forbidden = list_forbidden(loaded)
    # What was imported stays until something else is stated.
    for name, (stated, read) in read_head(competition).items():
        imported = getattr(stored, name, "")
        values[name] = imported if stated in ("", read(imported)) else stated
    if stored is not None:
        same = list_pairs(stored.forbidden, stored.data.planned_rounds) == list_pairs(forbidden, 0)
        return replace(stored, **values, forbidden=stored.forbidden if same else forbidden)
    return TrfCompetition(city=competition.venue, forbidden=forbidden, **values)


def _find_first_colour(loaded: LoadedCompetition) -> str:
    """Return the colour of the first entry in round 1, "" before a lot decides it."""
    pairing_format = build_format(loaded.competition)
    if not isinstance(pairing_format, Swiss) or (pairing_format.first_colour == "lot" and not loaded.data.rounds):
        return ""
    request = PairingRequest(loaded.data, 1, seed=loaded.competition.seed)
    return {"w": "white", "b": "black"}[pairing_format.find_first_colour(request)]


def _correct_for_report(loaded: LoadedCompetition) -> LoadedCompetition:
    """Return a competition with the results that only its report has."""
    if not any(fixture.reported for fixture in loaded.fixtures):
        return loaded
    loss = loaded.data.points.loss

    def correct(fixture: FixtureState) -> FixtureState:
        if not fixture.reported:
            return fixture
        points = loss if fixture.reported == BOTH_LOST else None
        lines = zip(fixture.data.seats, REPORTED[fixture.reported], strict=True)
        seats = tuple(Seat(seat.entry, place, points=points) for seat, place in lines)
        return fixture._replace(status="played", data=FixtureData(seats, "played"))

    return replace(loaded, fixtures=list(map(correct, loaded.fixtures)))


def _list_added(competition: TrfCompetition) -> list[Any]:
    return [(entry.number, sorted(entry.added)) for entry in competition.data.entries if entry.added]


def _without_scores(data: CompetitionData) -> CompetitionData:
    """Return the data without scores of games, which the format does not have."""
    rounds = []
    for one in data.rounds:
        fixtures = [
            replace(fixture, seats=tuple(seat._replace(score=None) for seat in fixture.seats))
            for fixture in one.fixtures
        ]
        rounds.append(RoundData(one.number, tuple(fixtures)))
    return replace(data, rounds=tuple(rounds))


def _load_fide_ids(loaded: LoadedCompetition) -> dict[int, str]:
    """Return player's id -> FIDE's id."""
    rows = ExternalId.objects.filter(provider="fide", player__in=loaded.people)
    return dict(rows.values_list("player", "value"))


def _load_aliases(loaded: LoadedCompetition) -> set[tuple[int, str]]:
    """Return the players' ids with the keys of their handles and aliases."""
    return set(Alias.objects.filter(player__in=loaded.people).values_list("player", "key"))


def _build_player(
    number: int,
    entry: Entry,
    stored: TrfPlayer | None,
    ids: Mapping[int, str],
    aliases: Container[tuple[int, str]],
    *,
    with_people: bool,
) -> TrfPlayer:
    """Return the line of an entry; an imported one keeps its name while that is a name of the player."""
    name, (player, _handle, _name) = build_entry_name(entry), entry.survivors[0]
    if stored is not None:
        keys = [build_name_key(text) for text in (stored.name, stored.display_name)]
        is_same_id = bool(stored.fide_id.strip()) and stored.fide_id.strip() == ids.get(player)
        known = is_same_id or build_name_key(name) in keys or any((player, key) in aliases for key in keys)
        kept = replace(stored, rating=entry.rating, rounds=())
        return kept if known else replace(kept, name=name)
    born = entry.about.get("born") if with_people else ""
    return TrfPlayer(
        number,
        put_surname_first(name),
        sex=entry.about.get("sex", "") if with_people else "",
        birth=f"{born}/00/00" if born else "",
        title=entry.title,
        rating=entry.rating,
        federation=entry.federation[:3],
        fide_id=ids.get(player, "")[:11],
    )


def _list_byes(loaded: LoadedCompetition) -> dict[int, dict[int, ByeKind]]:
    """Return the byes of rounds to come: round -> number -> kind. Entries that withdrew are absent."""
    following = max((one.number for one in loaded.data.rounds), default=0) + 1
    byes: dict[int, dict[int, ByeKind]] = {}
    asked = [bye["round"] for one in loaded.entries.values() for bye in one.byes]
    # After the last round there is none to be absent from.
    last = loaded.planned_rounds or max(following, *asked, 0)
    for number in range(following, last + 1):
        byes[number] = {
            **list_requested_byes(loaded, number),
            **{entry.number: "zero_bye" for entry in loaded.entries.values() if has_withdrawn(entry, number)},
        }
    return {number: in_round for number, in_round in byes.items() if in_round}


def list_unrated(loaded: LoadedCompetition) -> frozenset[tuple[int, int]]:
    """Return round and first seat of the games that were played and are not rated."""
    if not loaded.competition.rated:
        return frozenset()
    return frozenset(
        (fixture.round or 0, fixture.entries[0])
        for fixture in loaded.fixtures
        if fixture.status == "played"
        and fixture.game is not None
        and fixture.game.kind == Game.Kind.FRIENDLY
        # Of games that the arbiter decided, the codes = and 0 show it.
        and not are_awarded([line.score for line in fixture.game.lines], as_points=loaded.scores_are_points)
    )


def find_round_day(loaded: LoadedCompetition, number: int) -> date | None:
    """Return when a round starts, or began to be played."""
    one = loaded.rounds.get(number)
    played = [fixture.game.played_at for fixture in loaded.list_fixtures(number) if fixture.game is not None]
    starts = (one and one.starts_at) or min(played, default=None)
    return None if starts is None else starts.astimezone(get_zone(loaded.competition)).date()


def list_csv_rows(loaded: LoadedCompetition) -> list[FixtureCsvRow]:
    """Return the visible fixtures as lines of CSV."""
    return [
        _build_csv_row(loaded, fixture)
        for fixture in loaded.fixtures
        if fixture.status != "cancelled" and loaded.is_published(fixture)
    ]


def _build_csv_row(loaded: LoadedCompetition, fixture: FixtureState) -> FixtureCsvRow:
    seats, forfeited = fixture.data.seats, fixture.status == "forfeited"
    scores = tuple(seat.score for seat in seats if seat.score is not None) if fixture.status == "played" else ()
    has_scores = len(scores) == len(seats)
    plan = read_plan(fixture)
    if fixture.game is not None:
        plan["starts_at"] = fixture.game.played_at
    return FixtureCsvRow(
        tuple(loaded.name(entry) for entry in fixture.entries),
        fixture.round,
        fixture.kind,
        scores if has_scores else (),
        () if has_scores or fixture.status != "played" else tuple(seat.place for seat in seats),
        tuple(at for at, seat in enumerate(seats) if seat.place != 1) if forfeited else (),
        fixture.forfeit if forfeited else "",
        **plan,
    )
