"""URLs of reports and private links: organiser's pages and site pages."""

from django.urls import path

from league.apps.reports import installing, report_pages
from league.apps.reports.organiser import print_links, review

ORGANISER = [
    path("<str:slug>/reports/", review.list_reports, name="reports"),
    path("<str:slug>/reports/links/", review.create_link, name="links"),
    path("<str:slug>/reports/links/print/", print_links.print_links, name="print_links"),
    path("<str:slug>/reports/links/<uuid:pk>/revoke/", review.revoke_player_link, name="revoke"),
    path("<str:slug>/reports/<uuid:pk>/", review.decide_report, name="report"),
    path("<str:slug>/reports/<uuid:pk>/amend/", review.amend_report, name="amend"),
]
SITE = [
    path("report/<str:secret>/", report_pages.report_link, name="report"),
    path("report/<str:secret>/app.webmanifest", installing.show_manifest, name="report_manifest"),
    path("report/<str:secret>/icon-<int:size>.png", installing.show_icon, name="report_icon"),
    path("report/<str:secret>/calendar.ics", report_pages.show_calendar, name="report_calendar"),
    path("report/<str:secret>/change/", report_pages.preview_change, name="report_change"),
    path("report/<str:secret>/actions/<slug:name>/", report_pages.run_link_action, name="report_action"),
    path("report/<str:secret>/<uuid:pk>/", report_pages.answer_report, name="report_answer"),
]
