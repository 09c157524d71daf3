"""Queries of reports and links."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.records import REPORT_LINE, REPORT_RECORD
from league.core.capabilities import load_declared
from league.core.finish import Finisher
from league.core.games.selectors.games import ShownGame
from league.core.text.display_formats import format_exact
from league.core.text.game_results import count_sets, format_figure, format_result_of_two, format_sets, split_sets
from league.core.text.names import build_name_key, isolate_direction, join_partners
from league.models import Alias, Inactive, InitialRating, League, Player, Rating, RatingChange

#: Maximum number of reports shown.
MAX_SHOWN = 40
#: Maximum number of a league's reports searched for a player's own.
MAX_SEARCHED = 1000
#: Message for an unknown link.
UNKNOWN_LINK_MESSAGE = gettext_noop("This link does not work. It may be incomplete. Ask your organiser for a new one.")


class OwnOutcome(NamedTuple):
    """How a player did in a game of two: the result with the own score first, the partners and the opponents."""

    finish: Finisher
    result: str
    partners: str
    opponents: str


class ReportedPair(NamedTuple):
    """The lines of the two sides of a reported game, and the result between them."""

    first: Sequence[Mapping[str, Any]]
    result: str
    second: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ReportView:
    """A report for display; ``own``: entered by the reader, ``due``: the reader may answer it.

    ``outcome``: of the reader, in a game of two.

    ``change``: what its game changed for the reader; ``game``: that game, if it is recorded.

    ``lines`` and ``answers`` are those of the report with the players' handles of today and names; a handle may no
    longer exist.
    """

    report: Report
    lines: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    own: bool = False
    due: bool = False
    change: RatingChange | None = None
    game: ShownGame | None = None
    outcome: OwnOutcome | None = None

    @property
    def fixture(self) -> int | None:
        """The number of the fixture of a competition that it is for."""
        number: int | None = self.report.sheet.get("fixture")
        return number

    @property
    def mark(self) -> str:
        """The report's mark, which a decision sends back."""
        return compute_mark(self.report)

    @property
    def pair(self) -> ReportedPair | None:
        """The report as a line, if it is of a game of two players or sides with a result."""
        return build_pair(self.lines, self.sides)

    @property
    def title(self) -> str:
        """What was reported in a line: "Anna – Ben 1–0", or of more than two "Anna 3, Ben 2, Cleo 1"."""
        pair = self.pair
        if pair is None:
            return join_lines([(isolate_direction(line["name"]), line["entry"]) for line in self.lines])
        first, second = (
            join_partners([isolate_direction(line["name"]) for line in side]) for side in (pair.first, pair.second)
        )
        return f"{first} – {second} {pair.result}"

    def find_pair_of(self, handle: str) -> ReportedPair | None:
        """Return ``pair`` with the side of a player first."""
        pair = self.pair
        is_second = pair is not None and handle in [line["player"] for line in self.sides[1]]
        return build_pair(self.lines[::-1], self.sides[::-1]) if is_second else pair

    @property
    def sides(self) -> list[list[dict[str, Any]]]:
        """The lines by sides; a player without a side is alone."""
        return group_by_side(self.lines)

    @property
    def details(self) -> list[tuple[str, str]]:
        """The game fields, such as bula, and declared fields of the game."""
        values = {**self.report.sheet["details"], **self.report.sheet.get("fields", {})}
        return [(name, value if isinstance(value, str) else format_exact(value)) for name, value in values.items()]


def compute_mark(report: Report) -> str:
    """Return a mark that changes with each answer to a report and with its decision."""
    return f"{report.state}-{len(report.answers)}"


def find_link(digest: str) -> ReportLink | None:
    """Return the link with this hash of its secret, valid or not, with its league and player."""
    return ReportLink.objects.select_related("league", "player__merged_into").filter(digest=digest).first()


def find_link_player(link: ReportLink) -> Player | None:
    """Return the player of a link, after merges."""
    return link.player and resolve_merged(link.player)


def explain_invalid_link(link: ReportLink, now: datetime) -> str:
    """Return why a link cannot be used, or "" if it can."""
    if link.revoked_at is not None:
        return _("This link is no longer valid. Ask an organiser for a new one.")
    if link.expires_at is not None and link.expires_at <= now:
        return _("This link has expired. Ask an organiser for a new one.")
    if link.league.reporting == League.Reporting.OFF:
        return _("Players cannot report games in this league at present.")
    player = find_link_player(link)
    if player is not None and Inactive.objects.filter(league=link.league, player=player).exists():
        return _("This link is suspended because its player is inactive.")
    return ""


def list_valid_links(league: League, now: datetime) -> QuerySet[ReportLink]:
    """Return the links of a league that are neither revoked nor expired: tables first, then by name."""
    links = league.report_links.valid(now).select_related("player__merged_into")
    return links.annotate(count=Count("reports")).order_by("-name", "player__name", "made_at")


def group_player_links(league: League, now: datetime) -> dict[int, list[ReportLink]]:
    """Return the valid links by player id; merged players may have several."""
    links_by_player: dict[int, list[ReportLink]] = {}
    for link in list_valid_links(league, now).exclude(player=None):
        player = find_link_player(link)
        assert player is not None, "links of tables are left out"
        links_by_player.setdefault(player.pk, []).append(link)
    return links_by_player


def list_active_players(league: League) -> QuerySet[Player]:
    """Return the league's active players by name, also those who have not played yet; only they are on reported sheets.

    These are players with a rating, or an initial one, those added in the league, and those whom a capability names.
    """
    rated = Rating.objects.filter(league=league, player=OuterRef("pk"))
    initial = InitialRating.objects.filter(league=league, player=OuterRef("pk"))
    inactive = Inactive.objects.filter(league=league, player=OuterRef("pk"))
    member = Exists(rated) | Exists(initial) | Q(added_in=league)
    for query_players in load_declared(lambda app: app.data.entered_players):
        member |= Q(pk__in=query_players(league))
    players = Player.objects.filter(member, ~Exists(inactive), merged_into=None)
    return players.order_by("name", "handle")


def find_report(league: League, pk: UUID) -> Report | None:
    """Return a report of a league, or None."""
    return league.reports.with_sender().select_related("link__player").filter(pk=pk).first()


def list_open_reports(league: League) -> QuerySet[Report]:
    """Return the open reports, by state and then oldest first."""
    return league.reports.open().with_sender().select_related("link__player").order_by("state", "entered_at")


def list_reports_to_decide(league: Any) -> QuerySet[Report]:
    """Return the reports of a league (or an OuterRef) that wait for an organiser, earliest first."""
    return Report.objects.filter(league=league).to_decide().order_by("entered_at", "pk")


def query_open_reports(league: Any) -> QuerySet[Report]:
    """Return the open reports of a league, whose games are not recorded yet."""
    return Report.objects.filter(league=league).open()


def describe_reports(league: League) -> str:
    """Return a word for the league's reports, or "" if it has none."""
    return pgettext("a league has", "player reports") if league.reports.exists() else ""


def list_recently_decided(league: League, now: datetime) -> QuerySet[Report]:
    """Return the recently decided reports, newest first."""
    reports = league.reports.decided_lately(now).with_sender().select_related("link__player")
    return reports.order_by("-decided_at")[:MAX_SHOWN]


def load_report_views(reports: Iterable[Report], player: Player | None = None) -> list[ReportView]:
    """Return reports for display, as seen by ``player`` if given."""
    loaded = list(reports)
    players = load_players_by_handle(loaded)
    return [_build_view(report, players, player) for report in loaded]


def _build_view(report: Report, players: dict[str, Player], player: Player | None) -> ReportView:
    sender = resolve_merged(report.entered_by)
    answered_ids = {
        players[key].pk for key in (build_name_key(answer["player"]) for answer in report.answers) if key in players
    }
    is_own = player is not None and sender.pk == player.pk
    is_asked = player is not None and not is_own and player.pk not in find_partner_ids(report, players)
    is_due = is_asked and player is not None and player.pk not in answered_ids and report.state in Report.OPEN
    return ReportView(
        report,
        [
            {**_replace_handle(line, players), "name": _name_of(line["player"], players), "entry": _format_entry(line)}
            for line in report.sheet["results"]
        ],
        [
            {**answer, "name": _name_of(answer["player"], players), "at": datetime.fromisoformat(answer["at"])}
            for answer in report.answers
        ],
        is_own,
        is_due,
    )


def _name_of(handle: str, players: dict[str, Player]) -> str:
    player = players.get(build_name_key(handle))
    return handle if player is None else player.name


def _replace_handle(entry: dict[str, Any], players: Mapping[str, Player]) -> dict[str, Any]:
    """Return a line or an answer with the handle that its player has now."""
    player = players.get(build_name_key(entry["player"]))
    return {**entry, "player": entry["player"] if player is None else player.handle}


def _format_entry(line: dict[str, Any]) -> str:
    if "score" in line:
        return format_exact(line["score"])
    if "worksheet" in line:
        return ", ".join(format_exact(value) for value in line["worksheet"].values())
    if "sets" in line:
        return ", ".join(map(format_exact, line["sets"]))
    return format_figure((None, line.get("place")))


def join_lines(lines: Iterable[tuple[str, str]]) -> str:
    """Return names with their figures in a line."""
    return ", ".join(f"{name} {entry}" for name, entry in lines)


def group_by_side(lines: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the lines of a sheet by sides; a player without a side is alone."""
    sides: dict[Any, list[dict[str, Any]]] = {}
    for number, line in enumerate(lines):
        sides.setdefault(line.get("side") or f"line {number}", []).append(line)
    return [*sides.values()]


def build_pair(lines: Sequence[Mapping[str, Any]], sides: Sequence[Sequence[Mapping[str, Any]]]) -> ReportedPair | None:
    """Return the sides and the result of a game of two players or sides; None for other games, or without a result."""
    if len(sides) != 2:
        return None
    first, second = sides
    if points := split_sets(lines, [line.get("side") for line in lines]):
        sets = format_sets(lines, [line.get("side") for line in lines])
        result = f"{'–'.join(map(str, count_sets(points)))} ({sets})"
    else:
        result = format_result_of_two(*((side[0].get("score"), side[0].get("place")) for side in (first, second)))
    return ReportedPair(first, result, second) if result else None


def load_player_reports(league: League, player: Player, now: datetime) -> list[ReportView]:
    """Return a player's open and recent reports, newest first."""
    reports = league.reports.with_sender()
    recent = reports.decided_lately(now).order_by("-entered_at")[:MAX_SEARCHED]
    loaded = sorted([*reports.open(), *recent], key=lambda report: report.entered_at, reverse=True)
    players = load_players_by_handle(loaded)
    own_reports = [candidate for candidate in loaded if player.pk in find_seated_ids(candidate, players)]
    return [_build_view(report, players, player) for report in own_reports[:MAX_SHOWN]]


def has_public_page(league: League, player: Player) -> bool:
    """Return whether everyone may read the player's page in a league."""
    return (
        league.visibility == League.Visibility.PUBLIC and Rating.objects.filter(league=league, player=player).exists()
    )


def find_partner_ids(report: Report, players: dict[str, Player]) -> set[int]:
    """Return the ids of the sender's partners in a report, who cannot confirm it."""
    sender = resolve_merged(report.entered_by)
    lines = [(build_name_key(line["player"]), line.get("side")) for line in report.sheet["results"]]
    sides = {players[key].pk: side for key, side in lines if key in players}
    own_side = sides.get(sender.pk)
    return {pk for pk, side in sides.items() if own_side is not None and side == own_side} - {sender.pk}


def find_seated_ids(report: Report, players: dict[str, Player]) -> Sequence[int]:
    """Return the ids of the players on a report's sheet."""
    keys = (build_name_key(line["player"]) for line in report.sheet["results"])
    return [players[key].pk for key in keys if key in players]


def list_player_ids(league: League) -> set[int]:
    """Return the ids of all players named in the open reports of a league."""
    reports = _load_open_reports(league)
    return {player.pk for player in load_players_by_handle(reports).values()} | {
        resolve_merged(report.entered_by).pk for report in reports
    }


def _load_open_reports(league: League) -> list[Report]:
    return list(league.reports.open().select_related("entered_by__merged_into").order_by("entered_at", "pk"))


def resolve_merged(player: Player) -> Player:
    """Return the player that a player was merged into, or the player itself."""
    return player.merged_into or player


def load_players_by_handle(reports: Iterable[Report]) -> dict[str, Player]:
    """Return the current players of all handles on the sheets and in the answers, by handle key."""
    handles = [entry["player"] for report in reports for entry in (*report.sheet["results"], *report.answers)]
    aliases = Alias.objects.filter(key__in={build_name_key(handle) for handle in handles}).select_related(
        "player__merged_into"
    )
    return {alias.key: resolve_merged(alias.player) for alias in aliases}


def serialize_open_reports(league: League) -> Iterator[dict[str, Any]]:
    """Yield the open reports for an export, without link, key and seal."""
    reports = _load_open_reports(league)
    players = load_players_by_handle(reports)
    for report in reports:
        lines, answers = (
            [_replace_handle(entry, players) for entry in entries]
            for entries in (report.sheet["results"], report.answers)
        )
        yield {
            **REPORT_RECORD.serialize(report, REPORT_LINE),
            "sheet": {**report.sheet, "results": lines},
            "entered_by": resolve_merged(report.entered_by).handle,
            "answers": [{name: answer[name] for name in ("player", "at", "right", "reason")} for answer in answers],
        }
