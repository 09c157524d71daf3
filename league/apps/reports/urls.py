"""URLs of reports and private links, by the face that includes them."""

from django.urls import path

from league.apps.reports import report_pages
from league.apps.reports.organiser import print_links, review

ORGANISER = [
    path("<str:slug>/reports/", review.reports, name="reports"),
    path("<str:slug>/reports/links/", review.links, name="links"),
    path("<str:slug>/reports/links/print/", print_links.print_links, name="print_links"),
    path("<str:slug>/reports/links/<uuid:pk>/revoke/", review.revoke, name="revoke"),
    path("<str:slug>/reports/<uuid:pk>/", review.decide, name="report"),
    path("<str:slug>/reports/<uuid:pk>/amend/", review.amend, name="amend"),
]
SITE = [
    path("report/<str:secret>/", report_pages.link, name="report"),
    path("report/<str:secret>/change/", report_pages.change, name="report_change"),
    path("report/<str:secret>/<uuid:pk>/", report_pages.answer, name="report_answer"),
]
