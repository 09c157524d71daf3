"""The tables of competitions that verification compares with the log."""

from collections import defaultdict

from league.apps.competitions.models import Competition, Entry, FinalStandings, Fixture, FixtureSeat, Round
from league.apps.competitions.selectors import rows
from league.core.text.stored_messages import phrase
from league.core.verify.facts import BATCH, FactTable, Rows
from league.core.verify.log_replay import LogReplay
from league.models import League


def _read_competitions(league: League, log: LogReplay) -> Rows:
    for competition in Competition.objects.filter(league=league).order_by("pk"):
        yield competition.slug, rows.build_settings_row(competition)


def _read_entries(league: League, log: LogReplay) -> Rows:
    entries = Entry.objects.filter(league=league).select_related("competition").prefetch_related("players__player")
    for entry in entries.order_by("pk").iterator(chunk_size=BATCH):
        slug = entry.competition.slug
        yield (slug, entry.number), rows.build_entry_row(slug, entry, entry.players.all(), rows.get_handle)


def _read_rounds(league: League, log: LogReplay) -> Rows:
    for one_round in Round.objects.filter(league=league).select_related("competition").order_by("pk"):
        slug = one_round.competition.slug
        yield (slug, one_round.number), rows.build_round_row(slug, one_round)


def _read_fixtures(league: League, log: LogReplay) -> Rows:
    seats: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    lines = FixtureSeat.objects.filter(league=league).order_by("fixture", "seat")
    for fixture_id, entry, points in lines.values_list("fixture_id", "entry__number", "points"):
        seats[fixture_id].append((entry, points))
    fixtures = Fixture.objects.filter(league=league).select_related("competition", "round", "game").order_by("pk")
    for fixture in fixtures.iterator(chunk_size=BATCH):
        yield (
            fixture.number,
            rows.build_fixture_row(
                fixture.competition.slug,
                fixture,
                None if fixture.round is None else fixture.round.number,
                seats[fixture.pk],
                None if fixture.game is None else fixture.game.number,
            ),
        )


def _read_standings(league: League, log: LogReplay) -> Rows:
    for edition in FinalStandings.objects.filter(league=league).select_related("competition").order_by("pk"):
        slug = edition.competition.slug
        yield (slug, edition.number), rows.build_standings_row(slug, edition)


TABLES = (
    FactTable("competitions", _read_competitions, lambda slug: phrase("The competition {slug}", slug=slug)),
    FactTable("entries of competitions", _read_entries,
              lambda slug, number: phrase("Entry {number} of {slug}", number=number, slug=slug)),
    FactTable("rounds of competitions", _read_rounds,
              lambda slug, number: phrase("Round {number} of {slug}", number=number, slug=slug)),
    FactTable("fixtures", _read_fixtures, lambda number: phrase("Fixture {number}", number=number)),
    FactTable("final standings", _read_standings,
              lambda slug, number: phrase("Final standings {number} of {slug}", number=number, slug=slug)),
)  # fmt: skip
