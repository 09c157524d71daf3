"""Addresses of the desks of leagues, below admin/leagues/."""

from django.urls import path

from league.admin.desk import (
    change,
    founding,
    games,
    home,
    jobs,
    live,
    log,
    notices,
    offline,
    pad,
    paste,
    people,
    players,
    reports,
    rules,
    settings,
    splitting,
)

app_name = "desk"
#: What stands beside the desks has a sign in it that no slug may have: so every league's desk is reached.
urlpatterns = [
    path("+new/", founding.found_view, name="found"),
    path("pad-worker.js", offline.worker, name="worker"),
    path("<str:slug>/", home.home, name="home"),
    path("<str:slug>/record/", pad.pad, name="pad"),
    path("<str:slug>/record/change/", live.change, name="change"),
    path("<str:slug>/games/", games.games, name="games"),
    path("<str:slug>/games/<int:number>/correct/", change.correct, name="correct"),
    path("<str:slug>/games/<int:number>/void/", change.void, name="void"),
    path("<str:slug>/games/<int:number>/restore/", change.restore, name="restore"),
    path("<str:slug>/paste/", paste.paste, name="paste"),
    path("<str:slug>/paste/<slug:key>/undo/", paste.undo, name="paste_undo"),
    path("<str:slug>/games/<int:number>/undo/", pad.undo, name="undo"),
    path("<str:slug>/people/", people.people, name="people"),
    path("<str:slug>/people/invite/", people.invite, name="invite"),
    path("<str:slug>/people/invitations/<int:pk>/withdraw/", people.withdraw, name="withdraw"),
    path("<str:slug>/people/members/", people.member, name="member"),
    path("<str:slug>/people/password/", people.password, name="password"),
    path("<str:slug>/people/players/<str:handle>/", players.person, name="person"),
    path("<str:slug>/people/players/<str:handle>/split/", splitting.split, name="split"),
    path("<str:slug>/people/joined/", splitting.join, name="join"),
    path("<str:slug>/reports/", reports.reports, name="reports"),
    path("<str:slug>/reports/links/", reports.links, name="links"),
    path("<str:slug>/reports/links/<uuid:pk>/revoke/", reports.revoke, name="revoke"),
    path("<str:slug>/reports/<uuid:pk>/", reports.decide, name="report"),
    path("<str:slug>/reports/<uuid:pk>/amend/", reports.amend, name="amend"),
    path("<str:slug>/settings/", settings.settings, name="settings"),
    path("<str:slug>/rules/", rules.rules, name="rules"),
    path("<str:slug>/rules/withdraw/", rules.withdraw, name="withdraw_rule"),
    path("<str:slug>/log/", log.log, name="log"),
    path("<str:slug>/notices/", notices.notices, name="notices"),
    path("<str:slug>/jobs/", jobs.jobs, name="jobs"),
]
