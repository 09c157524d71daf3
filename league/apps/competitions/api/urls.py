"""URLs of the API of competitions, below /api/v1/."""

from django.urls import path

from league.apps.competitions.api import (
    brackets,
    competitions,
    entries,
    files,
    fixtures,
    formats,
    halls,
    listed_ratings,
    rounds,
    seasons,
    standings,
)

COMPETITIONS = "leagues/<str:league>/competitions/"
COMPETITION = COMPETITIONS + "<str:competition>/"
ENTRY = COMPETITION + "entries/<int:number>/"
ROUND = COMPETITION + "rounds/<int:number>/"
FIXTURE = COMPETITION + "fixtures/<int:number>/"
EDITIONS = COMPETITION + "editions/"
SEASONS = "leagues/<str:league>/seasons/"
SEASON = SEASONS + "<str:season>/"
HALL = "leagues/<str:league>/halls/<str:hall>/"

API = [
    path("pairing-formats/", formats.PairingFormats.as_view(), name="pairing-formats"),
    path("pairing-formats/<str:key>/", formats.OnePairingFormat.as_view(), name="pairing-format"),
    path("tie-breaks/", formats.TieBreaks.as_view(), name="tie-breaks"),
    path(COMPETITIONS, competitions.CompetitionList.as_view(), name="competitions"),
    path(COMPETITIONS + "import/", files.ImportCompetition.as_view(), name="competition-import"),
    path(COMPETITION + "export/", files.ExportCompetition.as_view(), name="competition-export"),
    path(COMPETITION, competitions.CompetitionDetail.as_view(), name="competition"),
    path(COMPETITION + "start/", competitions.StartCompetition.as_view(), name="competition-start"),
    path(COMPETITION + "finish/", competitions.FinishCompetition.as_view(), name="competition-finish"),
    path(COMPETITION + "cancel/", competitions.CancelCompetition.as_view(), name="competition-cancel"),
    path(
        COMPETITION + "leave-regulations/",
        competitions.LeaveRegulations.as_view(),
        name="competition-leave-regulations",
    ),
    path(
        COMPETITION + "rating-differences/",
        listed_ratings.RatingDifferences.as_view(),
        name="competition-rating-differences",
    ),
    path(EDITIONS, competitions.FinalEditions.as_view(), name="competition-editions"),
    path(EDITIONS + "<int:number>/", competitions.OneFinalEdition.as_view(), name="competition-edition"),
    path(COMPETITION + "entries/", entries.Entries.as_view(), name="competition-entries"),
    path(
        COMPETITION + "entries/exchange-numbers/",
        entries.ExchangedNumbers.as_view(),
        name="competition-exchange-numbers",
    ),
    path(ENTRY, entries.OneEntry.as_view(), name="competition-entry"),
    path(ENTRY + "card/", standings.EntryCardDetail.as_view(), name="competition-card"),
    path(COMPETITION + "rounds/", rounds.Rounds.as_view(), name="competition-rounds"),
    path(ROUND, rounds.OneRound.as_view(), name="competition-round"),
    path(ROUND + "publish/", rounds.PublishRound.as_view(), name="competition-round-publish"),
    path(COMPETITION + "fixtures/", fixtures.Fixtures.as_view(), name="competition-fixtures"),
    path(FIXTURE, fixtures.OneFixture.as_view(), name="competition-fixture"),
    path(FIXTURE + "boards/", fixtures.MatchBoards.as_view(), name="competition-fixture-boards"),
    path(FIXTURE + "result/", fixtures.FixtureResult.as_view(), name="competition-fixture-result"),
    path(COMPETITION + "standings/", standings.StandingsList.as_view(), name="competition-standings"),
    path(COMPETITION + "standings/<int:number>/", standings.ExplainedStandings.as_view(), name="competition-row"),
    path(COMPETITION + "cross-table/", standings.CrossTable.as_view(), name="competition-cross-table"),
    path(COMPETITION + "bracket/", brackets.CompetitionBracket.as_view(), name="competition-bracket"),
    path(SEASONS, seasons.Seasons.as_view(), name="seasons"),
    path(SEASON, seasons.OneSeason.as_view(), name="season"),
    path(SEASON + "cancel/", seasons.CancelSeason.as_view(), name="season-cancel"),
    path(SEASON + "entries/", seasons.SeasonEntries.as_view(), name="season-entries"),
    path(SEASON + "entries/<int:number>/", seasons.OneSeasonEntry.as_view(), name="season-entry"),
    path(SEASON + "proposal/", seasons.Proposal.as_view(), name="season-proposal"),
    path(SEASON + "draw/", seasons.DrawSeason.as_view(), name="season-draw"),
    path(SEASON + "standings/", seasons.SeasonStandings.as_view(), name="season-standings"),
    path(SEASON + "close/", seasons.CloseSeason.as_view(), name="season-close"),
    path(SEASON + "editions/", seasons.SeasonEditions.as_view(), name="season-editions"),
    path(SEASON + "editions/<int:number>/", seasons.OneSeasonEdition.as_view(), name="season-edition"),
    path("leagues/<str:league>/halls/", halls.Halls.as_view(), name="halls"),
    path(HALL, halls.OneHall.as_view(), name="hall"),
    path(HALL + "plan/", halls.HallPlan.as_view(), name="hall-plan"),
    path(HALL + "call/", halls.HallCall.as_view(), name="hall-call"),
]
