"""Checks a tournament report: the pairings of each round, the places of the standings, and odd lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ratings.contract.competition import ByeKind, CompetitionData, RoundData
from ratings.contract.pairing_format import CannotPair, PairingFormat, PairingRequest
from ratings.pairing_formats.round_robin import RoundRobin
from ratings.pairing_formats.swiss import Swiss
from ratings.standings.left_out import remove_entries
from ratings.texts import N_, say
from ratings.tournaments.findings import TournamentCheck, TournamentFinding
from ratings.tournaments.history import ReportHistory
from ratings.tournaments.places import check_places
from ratings.tournaments.team_places import check_teams
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.document import TrfDocument, TrfPlayer
from ratings.trf.problems import TrfFaults, TrfProblem, locate_problem
from ratings.trf.reading import read_text
from ratings.trf.remarks import TrfRemark, read_remarks
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
    """Return what a document has against the rules; what its remarks tell of changes by hand is taken back first."""
    competition = read_competition(document)
    lines = {line.value.number: line.number for line in document.lines if isinstance(line.value, TrfPlayer)}
    teams, remarks = read_teams(document), list(read_remarks(document))
    # In a competition of teams the remarks are about teams.
    history = ReportHistory(teams.data if teams else competition.data, remarks)
    left_out, annulled = history.list_expelled(), list_annulled(competition)
    silent = set() if teams else {lines[number] for number in left_out | annulled}
    findings = [
        _locate(problem)
        for problem in document.warnings
        if problem.code != "rank_missing" or problem.line not in silent
    ]
    findings += _list_reported(history)
    pairing_format = build_format(competition)
    rounds = 0
    if pairing_format is None:
        findings.append(TournamentFinding(0, 0, "not_paired", say(NOT_PAIRED), differs=False))
    else:
        rounds = len(competition.data.rounds)
        findings += list_round_findings(competition, pairing_format, lines, remarks)
    ranks = {player.number: player.rank for player in competition.players if player.rank}
    if teams:
        places, found = check_teams(document, teams, left_out)
    else:
        data = remove_entries(history.rewind(), annulled)
        places, found = check_places(document, data, competition.tie_breaks, ranks, lines, left_out=left_out)
    return TournamentCheck((*findings, *found), rounds, places)


NOT_PAIRED = N_("Pairings are compared with the rules of Swiss systems and round robins only.")
FOLLOWS = N_("{stands} does not follow. By the rules: {follows}.")
COLOURS = N_("The colours of {stands} are exchanged. By the rules: {follows}.")
NO_PAIRING = N_("The rules allow no pairing. {why}")
BY_HAND = N_("Pairings were made by hand, as the remarks say; the others are compared.")
NOT_THERE = N_("By this remark {stands} was paired by hand, but the round does not have it.")
REPORTED = N_("Only this report has the result of {entries}; pairings and places follow from {result}.")


def _list_reported(history: ReportHistory) -> Iterator[TournamentFinding]:
    """Yield a note of each result that only the report has."""
    for remark in history.reported:
        sentence = say(REPORTED, entries=_write_pair(remark.entries), result=remark.old)  # type: ignore[arg-type]  # two
        yield TournamentFinding(remark.round, remark.line, "reported", sentence, differs=False)


def list_annulled(competition: TrfCompetition) -> frozenset[int]:
    """Return who left a round robin too early (R204): without a rank, and with less than half of its games played."""
    if competition.format.key != "round_robin" or not any(player.rank for player in competition.players):
        return frozenset()
    own: dict[int, list[bool]] = {}
    for one_round in competition.data.rounds:
        for fixture in one_round.fixtures:
            for seat in fixture.seats if len(fixture.seats) > 1 else ():
                own.setdefault(seat.entry, []).append(fixture.kind == "played")
    return frozenset(
        player.number
        for player in competition.players
        if not player.rank and 2 * sum(own.get(player.number, ())) < len(own.get(player.number, ()))
    )


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
    competition: TrfCompetition,
    pairing_format: PairingFormat,
    lines: Mapping[int, int],
    remarks: Sequence[TrfRemark] = (),
) -> Iterator[TournamentFinding]:
    """Yield each pairing that does not follow from the rounds before, and notes of rounds that were paired by hand.

    ``lines``: of the entries in the file. ``remarks``: what was changed by hand, which is taken back first.
    """
    history = ReportHistory(competition.data, remarks)
    for one_round in competition.data.rounds:
        made, broken, by_hand = history.find_made(one_round)
        for remark in broken:
            sentence = say(NOT_THERE, stands=remark.new)
            yield TournamentFinding(one_round.number, remark.line, "remark_differs", sentence)
        if by_hand:
            yield TournamentFinding(one_round.number, by_hand, "by_hand", say(BY_HAND), differs=False)
        stands = list_pairs(made)
        if not stands:
            continue
        try:
            follows = pair_again(competition, pairing_format, made, history)
        except CannotPair as refusal:
            sentence = say(NO_PAIRING, why=str(refusal))
            yield TournamentFinding(one_round.number, 0, "no_pairing", sentence)
            continue
        yield from _compare(one_round.number, stands, follows, lines)


def pair_again(
    competition: TrfCompetition,
    pairing_format: PairingFormat,
    one_round: RoundData,
    history: ReportHistory | None = None,
) -> list[Pair]:
    """Return the pairs of a round as the rules make them from the rounds before; raises CannotPair."""
    proposal = pairing_format.pair(build_request_of(competition, one_round, history))
    return list_pairs(RoundData(one_round.number, proposal.fixtures))


def build_request_of(
    competition: TrfCompetition, one_round: RoundData, history: ReportHistory | None = None
) -> PairingRequest:
    """Return what a round of a file was paired from: who had a bye, or no line in it, was absent."""
    history = history or ReportHistory(competition.data)
    return replace(
        competition.build_request(),
        competition=history.rewind(one_round.number),
        number=one_round.number,
        byes=_list_absences(competition.data, one_round),
        not_against=competition.list_not_against(one_round.number),
    )


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
