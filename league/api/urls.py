"""Addresses of the API, below /api/v1/."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularSwaggerSplitView

from league.api.core.problems import nothing_here
from league.api.games import batch
from league.api.games import views as views_games
from league.api.imports import views as views_imports
from league.api.jobs import views as views_jobs
from league.api.ladders import periods
from league.api.ladders import views as views_ladders
from league.api.leagues import views as views_leagues
from league.api.log import heads
from league.api.log import views as views_log
from league.api.members import views as views_members
from league.api.merges import views as views_merges
from league.api.openapi import views as views_schema
from league.api.players import views as views_players
from league.api.webhooks import views as views_webhooks
from league.api.what_if import views as views_prospects

app_name = "api"
LEAGUE = "leagues/<str:league>/"
GAME = LEAGUE + "games/<int:number>/"
LADDER = LEAGUE + "ladders/<str:ladder>/"
PERIOD = LADDER + "periods/<str:period>/"
PLAYER = LEAGUE + "players/<str:player>/"
WEBHOOK = LEAGUE + "webhooks/<str:webhook>/"

urlpatterns = [
    path("systems/", views_leagues.Systems.as_view(), name="systems"),
    path("systems/<str:key>/", views_leagues.System.as_view(), name="system"),
    path("leagues/", views_leagues.Leagues.as_view(), name="leagues"),
    path(LEAGUE, views_leagues.OneLeague.as_view(), name="league"),
    path(LEAGUE + "rules/", views_leagues.Rules.as_view(), name="rules"),
    path(LEAGUE + "leaderboard/", views_leagues.Leaderboard.as_view(), name="leaderboard"),
    path(LEAGUE + "changes/", views_log.Changes.as_view(), name="changes"),
    path(LEAGUE + "heads/", heads.Heads.as_view(), name="heads"),
    path(LEAGUE + "export/", views_log.Export.as_view(), name="export"),
    path("players/", views_players.Players.as_view(), name="players"),
    path("players/<str:player>/", views_players.OnePlayer.as_view(), name="player"),
    path("players/<str:player>/merge/", views_merges.MergePlayer.as_view(), name="merge"),
    path("players/<str:player>/unmerge/", views_merges.UnmergePlayer.as_view(), name="unmerge"),
    path("tokens/", views_members.Tokens.as_view(), name="tokens"),
    path("tokens/<str:token>/", views_members.OneToken.as_view(), name="token"),
    path(LEAGUE + "members/", views_members.Members.as_view(), name="members"),
    path(LEAGUE + "members/<str:user>/", views_members.OneMember.as_view(), name="member"),
    path(PLAYER, views_players.LeaguePlayer.as_view(), name="league-player"),
    path(PLAYER + "history/", views_players.History.as_view(), name="history"),
    path(LEAGUE + "games/", views_games.Games.as_view(), name="games"),
    path(LEAGUE + "games/batch/", batch.Batch.as_view(), name="batch"),
    path(LEAGUE + "games/import/", views_imports.Import.as_view(), name="import"),
    path(GAME, views_games.OneGame.as_view(), name="game"),
    path(GAME + "explanation/", views_games.Explanation.as_view(), name="explanation"),
    path(GAME + "correct/", views_games.Correct.as_view(), name="correct"),
    path(GAME + "void/", views_games.Void.as_view(), name="void"),
    path(GAME + "restore/", views_games.Restore.as_view(), name="restore"),
    path(LEAGUE + "preview/", views_prospects.Preview.as_view(), name="preview"),
    path("ladder-methods/", views_ladders.Methods.as_view(), name="methods"),
    path("ladder-methods/<str:key>/", views_ladders.OneMethod.as_view(), name="method"),
    path(LEAGUE + "ladders/", views_ladders.Ladders.as_view(), name="ladders"),
    path(LEAGUE + "decisions/", views_ladders.Decisions.as_view(), name="decisions"),
    path(LADDER, views_ladders.OneLadder.as_view(), name="ladder"),
    path(LADDER + "rules/", views_ladders.LadderRules.as_view(), name="ladder-rules"),
    path(LADDER + "periods/", periods.Periods.as_view(), name="periods"),
    path(PERIOD, periods.OnePeriod.as_view(), name="period"),
    path(PERIOD + "editions/<int:number>/", periods.OneEdition.as_view(), name="edition"),
    path(PERIOD + "diff/", periods.PeriodDiff.as_view(), name="period-diff"),
    path(PERIOD + "close/", periods.Close.as_view(), name="close"),
    path(PERIOD + "reopen/", periods.Reopen.as_view(), name="reopen"),
    path(PERIOD + "carry/", periods.Carry.as_view(), name="carry"),
    path(LEAGUE + "webhooks/", views_webhooks.Webhooks.as_view(), name="webhooks"),
    path(WEBHOOK, views_webhooks.OneWebhook.as_view(), name="webhook"),
    path(WEBHOOK + "test/", views_webhooks.TestWebhook.as_view(), name="webhook-test"),
    path(WEBHOOK + "replay/", views_webhooks.ReplayWebhook.as_view(), name="webhook-replay"),
    path(WEBHOOK + "rotate/", views_webhooks.RotateSecret.as_view(), name="webhook-rotate"),
    path(WEBHOOK + "deliveries/", views_webhooks.Deliveries.as_view(), name="deliveries"),
    path("jobs/<str:job>/", views_jobs.OneJob.as_view(), name="job"),
    path("schema/", views_schema.Schema.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api:schema"), name="docs"),
    re_path(r"^(?P<rest>.*)$", nothing_here),
]
