"""Checks a tournament report: the pairings of each round, the places of the standings, and odd lines."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ratings.contract.competition import ByeKind, CompetitionData, RoundData, build_game
from ratings.contract.pairing_format import CannotPair, PairingFormat, PairingRequest
from ratings.pairing_formats.round_robin import RoundRobin
from ratings.pairing_formats.swiss import Swiss
from ratings.texts import N_, say
from ratings.tournaments.findings import TournamentCheck, TournamentFinding
from ratings.tournaments.places import check_places
from ratings.tournaments.team_places import check_teams
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.document import TrfDocument, TrfPlayer
from ratings.trf.problems import TrfFaults, TrfProblem, locate_problem
from ratings.trf.reading import read_text
from ratings.trf.teams import read_teams

#: Warnings of lines that no rule forbids.
NOTES = frozenset((
    "rating_missing", "points_inferred", "awarded", "acceleration", "teams", "team_line", "empty_round",
    "days_replaced",
))  # fmt: skip
#: Two entries, White first; 0 is nobody.
Pair = tuple[int, int]


def check_text(text: str) -> TournamentCheck:
    """Return what a file's text has against the rules."""
    try:
        document = read_text(text)
    except TrfFaults as faults:
        return TournamentCheck(tuple(_locate(problem) for problem in faults.problems), readable=False)
    return check_document(document)


def check_document(document: TrfDocument) -> TournamentCheck:
    """Return what a document has against the rules."""
    competition = read_competition(document)
    lines = {line.value.number: line.number for line in document.lines if isinstance(line.value, TrfPlayer)}
    findings = [_locate(problem) for problem in document.warnings]
    pairing_format = build_format(competition)
    rounds = 0
    if pairing_format is None:
        findings.append(TournamentFinding(0, 0, "not_paired", say(NOT_PAIRED), differs=False))
    else:
        rounds = len(competition.data.rounds)
        findings += list_round_findings(competition, pairing_format, lines)
    ranks = {player.number: player.rank for player in competition.players if player.rank}
    if teams := read_teams(document):
        places, found = check_teams(document, teams)
    else:
        places, found = check_places(document, competition.data, competition.tie_breaks, ranks, lines)
    return TournamentCheck((*findings, *found), rounds, places)


NOT_PAIRED = N_("Pairings are compared with the rules of Swiss systems and round robins only.")
FOLLOWS = N_("{stands} does not follow. By the rules: {follows}.")
COLOURS = N_("The colours of {stands} are exchanged. By the rules: {follows}.")
NO_PAIRING = N_("The rules allow no pairing. {why}")


def _locate(problem: TrfProblem) -> TournamentFinding:
    column = replace(problem, line=0)
    sentence = locate_problem(column)
    return TournamentFinding(0, problem.line, problem.code, sentence, problem.code not in NOTES)


def build_format(competition: TrfCompetition) -> PairingFormat | None:
    """Return the pairing format with its settings; None if pairings follow from no rule."""
    if competition.format.key == "swiss":
        return Swiss(
            first_colour=competition.first_colour or "lot", acceleration=competition.format.acceleration or "none"
        )
    if competition.format.key == "round_robin":
        return RoundRobin(
            turns="double" if competition.format.double else "single",
            exchange="yes" if competition.format.exchanged else "no",
        )
    return None


def list_round_findings(
    competition: TrfCompetition, pairing_format: PairingFormat, lines: Mapping[int, int]
) -> Iterator[TournamentFinding]:
    """Yield each pairing that does not follow from the rounds before; ``lines``: of the entries in the file."""
    for one_round in competition.data.rounds:
        stands = list_pairs(one_round)
        if not stands:
            continue
        try:
            follows = pair_again(competition, pairing_format, one_round)
        except CannotPair as refusal:
            sentence = say(NO_PAIRING, why=str(refusal))
            yield TournamentFinding(one_round.number, 0, "no_pairing", sentence)
            continue
        yield from _compare(one_round.number, stands, follows, lines)


def pair_again(competition: TrfCompetition, pairing_format: PairingFormat, one_round: RoundData) -> list[Pair]:
    """Return the pairs of a round as the rules make them from the rounds before; raises CannotPair."""
    proposal = pairing_format.pair(build_request_of(competition, one_round))
    return list_pairs(RoundData(one_round.number, proposal.fixtures))


def build_request_of(competition: TrfCompetition, one_round: RoundData) -> PairingRequest:
    """Return what a round of a file was paired from: who had a bye, or no line in it, was absent."""
    data = competition.data
    before = tuple(_draw_adjourned(other) for other in data.rounds if other.number < one_round.number)
    byes = _list_absences(data, one_round)
    return replace(
        competition.build_request(),
        competition=replace(data, rounds=before),
        number=one_round.number,
        byes=byes,
        not_against=competition.list_not_against(one_round.number),
    )


def _draw_adjourned(one_round: RoundData) -> RoundData:
    """Return a round in which adjourned games are draws, as they are for pairings alone."""
    fixtures = tuple(
        build_game(fixture.seats[0].entry, fixture.seats[1].entry, "draw") if fixture.adjourned else fixture
        for fixture in one_round.fixtures
    )
    return replace(one_round, fixtures=fixtures)


def _list_absences(data: CompetitionData, one_round: RoundData) -> dict[int, ByeKind]:
    if data.predetermined:
        return {}
    byes: dict[int, ByeKind] = {entry.number: "zero_bye" for entry in data.entries}
    for fixture in one_round.fixtures:
        for seat in fixture.seats:
            if len(fixture.seats) > 1 or fixture.kind == "pairing_bye":
                byes.pop(seat.entry, None)
            else:
                byes[seat.entry] = fixture.kind  # type: ignore[assignment]  # a bye has one seat
    return byes


def list_pairs(one_round: RoundData) -> list[Pair]:
    """Return the games of a round, and its pairing-allocated byes as games against nobody."""
    return [
        (fixture.seats[0].entry, fixture.seats[1].entry if len(fixture.seats) > 1 else 0)
        for fixture in one_round.fixtures
        if len(fixture.seats) > 1 or fixture.kind == "pairing_bye"
    ]


def _compare(
    number: int, stands: list[Pair], follows: list[Pair], lines: Mapping[int, int]
) -> Iterator[TournamentFinding]:
    """Yield a finding for each pair that does not follow; with what the rules pair its two entries with."""
    by_entry = {entry: pair for pair in follows for entry in pair if entry}
    expected = set(follows)
    for white, black in sorted(set(stands) - expected):
        exchanged = (black, white) in expected
        wanted = dict.fromkeys(by_entry[entry] for entry in (white, black) if entry in by_entry)
        sentence = say(
            COLOURS if exchanged else FOLLOWS,
            stands=_write_pair((white, black)),
            follows=", ".join(map(_write_pair, wanted)) or "–",
        )
        yield TournamentFinding(number, lines[white], "colours_differ" if exchanged else "pairing_differs", sentence)


def _write_pair(pair: Pair) -> str:
    white, black = pair
    return f"{white}–{black}" if black else say("{entry} has the bye", entry=white)
