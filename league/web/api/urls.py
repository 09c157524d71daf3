"""URLs of the API, below /api/v1/."""

from django.urls import path, re_path

from league.core.capabilities import load_declared
from league.web.api import adjustments, balance, contexts, fields, jobs, leaderboard, members, merges, systems, what_if
from league.web.api.core.responses import unknown_address
from league.web.api.games import batch
from league.web.api.games import views as games
from league.web.api.ladders import periods
from league.web.api.ladders import views as ladders
from league.web.api.leagues import views as leagues
from league.web.api.log import heads
from league.web.api.log import views as log
from league.web.api.openapi import views as openapi
from league.web.api.players import lookup
from league.web.api.players import views as players

app_name = "api"
LEAGUE = "leagues/<str:league>/"
GAME = LEAGUE + "games/<int:number>/"
LADDER = LEAGUE + "ladders/<str:ladder>/"
PERIOD = LADDER + "periods/<str:period>/"
PLAYER = LEAGUE + "players/<str:player>/"
CONTEXT = LEAGUE + "contexts/<str:context>/"

urlpatterns = [
    path("systems/", systems.Systems.as_view(), name="systems"),
    path("systems/<str:key>/", systems.System.as_view(), name="system"),
    path("leagues/", leagues.LeagueList.as_view(), name="leagues"),
    path(LEAGUE, leagues.LeagueDetail.as_view(), name="league"),
    path(LEAGUE + "rules/", leagues.Rules.as_view(), name="rules"),
    path(LEAGUE + "fields/", fields.Fields.as_view(), name="fields"),
    path(LEAGUE + "fields/<str:field>/", fields.OneField.as_view(), name="field"),
    path(LEAGUE + "contexts/", contexts.Contexts.as_view(), name="contexts"),
    path(CONTEXT, contexts.OneContext.as_view(), name="context"),
    path(CONTEXT + "leaderboard/", leaderboard.ContextLeaderboard.as_view(), name="context-leaderboard"),
    path(CONTEXT + "players/<str:player>/", players.ContextPlayer.as_view(), name="context-player"),
    path(CONTEXT + "players/<str:player>/history/", players.ContextHistory.as_view(), name="context-history"),
    path(CONTEXT + "games/<int:number>/explanation/", games.ContextExplanation.as_view(), name="context-explanation"),
    path(LEAGUE + "leaderboard/", leaderboard.Leaderboard.as_view(), name="leaderboard"),
    path(LEAGUE + "changes/", log.Changes.as_view(), name="changes"),
    path(LEAGUE + "heads/", heads.Heads.as_view(), name="heads"),
    path(LEAGUE + "export/", log.Export.as_view(), name="export"),
    path("players/", players.Players.as_view(), name="players"),
    path("players/<str:player>/", players.OnePlayer.as_view(), name="player"),
    path("players/<str:player>/merge/", merges.MergePlayer.as_view(), name="merge"),
    path("players/<str:player>/unmerge/", merges.UnmergePlayer.as_view(), name="unmerge"),
    path("tokens/", members.Tokens.as_view(), name="tokens"),
    path("tokens/<str:token>/", members.OneToken.as_view(), name="token"),
    path(LEAGUE + "members/", members.Members.as_view(), name="members"),
    path(LEAGUE + "members/<str:user>/", members.OneMember.as_view(), name="member"),
    path(LEAGUE + "players/", players.LeaguePlayers.as_view(), name="league-players"),
    path(LEAGUE + "players/lookup/", lookup.LookupPlayers.as_view(), name="lookup"),
    path(PLAYER, players.LeaguePlayer.as_view(), name="league-player"),
    path(PLAYER + "history/", players.PlayerHistory.as_view(), name="history"),
    path(PLAYER + "versus/<str:other>/", players.PlayersVersus.as_view(), name="versus"),
    path(LEAGUE + "games/", games.GameList.as_view(), name="games"),
    path(LEAGUE + "games/batch/", batch.GameBatch.as_view(), name="batch"),
    path(GAME, games.OneGame.as_view(), name="game"),
    path(GAME + "explanation/", games.GameExplanation.as_view(), name="explanation"),
    path(GAME + "correct/", games.Correct.as_view(), name="correct"),
    path(GAME + "void/", games.Void.as_view(), name="void"),
    path(GAME + "restore/", games.Restore.as_view(), name="restore"),
    path(LEAGUE + "adjustments/", adjustments.Adjustments.as_view(), name="adjustments"),
    path(LEAGUE + "adjustments/<int:number>/", adjustments.OneAdjustment.as_view(), name="adjustment"),
    path(LEAGUE + "adjustments/<int:number>/void/", adjustments.VoidAdjustment.as_view(), name="void-adjustment"),
    path(LEAGUE + "preview/", what_if.Preview.as_view(), name="preview"),
    path(LEAGUE + "balance/", balance.BalanceSides.as_view(), name="balance"),
    path(LEAGUE + "balance/tables/", balance.SeatTables.as_view(), name="seating"),
    path("ladder-methods/", ladders.Methods.as_view(), name="methods"),
    path("ladder-methods/<str:key>/", ladders.OneMethod.as_view(), name="method"),
    path(LEAGUE + "ladders/", ladders.LadderList.as_view(), name="ladders"),
    path(LEAGUE + "decisions/", ladders.Decisions.as_view(), name="decisions"),
    path(LADDER, ladders.OneLadder.as_view(), name="ladder"),
    path(LADDER + "rules/", ladders.LadderRules.as_view(), name="ladder-rules"),
    path(LADDER + "periods/", periods.PeriodList.as_view(), name="periods"),
    path(PERIOD, periods.OnePeriod.as_view(), name="period"),
    path(PERIOD + "editions/<int:number>/", periods.OneEdition.as_view(), name="edition"),
    path(PERIOD + "diff/", periods.PeriodDiffDetail.as_view(), name="period-diff"),
    path(PERIOD + "close/", periods.Close.as_view(), name="close"),
    path(PERIOD + "reopen/", periods.PeriodReopening.as_view(), name="reopen"),
    path(PERIOD + "carry/", periods.Carry.as_view(), name="carry"),
    *(pattern for patterns in load_declared(lambda app: app.urls.api) for pattern in patterns),
    path("jobs/<str:job>/", jobs.JobDetail.as_view(), name="job"),
    path("schema/", openapi.Schema.as_view(), name="schema"),
    path("docs/", openapi.reference, name="docs"),
    re_path(r"^(?P<rest>.*)$", unknown_address),
]
