"""Where everything is: pages at the root, the API below api/v1/, the admin site below admin/."""

from django.contrib import admin
from django.contrib.sitemaps import views as sitemaps
from django.urls import include, path

from league.admin.desk import reporting
from league.api.log.heads import site_key
from league.api.openapi.views import one_problem, problems
from league.desk import account_views, first_account, invited, unsubscribed
from league.pages.out.machines import MAPS, index
from league.pages.texts import texts

urlpatterns = [
    path(".well-known/rungs-key.json", site_key, name="site-key"),
    path("admin/leagues/", include("league.admin.desk.urls")),
    path("admin/login/", admin.site.login, name="account_login"),
    path("admin/password_change/", account_views.change_password, name="account_change_password"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("league.api.urls")),
    path("invitations/first/<str:secret>/", first_account.first_account, name="first_account"),
    path("invitations/<str:secret>/", invited.invitation, name="invitation"),
    path("report/<str:secret>/", reporting.link, name="report"),
    path("report/<str:secret>/change/", reporting.change, name="report_change"),
    path("report/<str:secret>/<uuid:pk>/", reporting.answer, name="report_answer"),
    path("accounts/notices/<str:token>/", unsubscribed.unsubscribe, name="notices-end"),
    path("accounts/", include("league.desk.account_urls")),
    path("docs/problems/", problems, name="problems"),
    path("docs/problems/<str:code>/", one_problem, name="problem"),
    path("look/texts-<str:language>.js", texts, name="texts"),
    path("sitemap.xml", index, name="sitemap"),
    path("sitemap-<section>.xml", sitemaps.sitemap, {"sitemaps": MAPS}, name="sitemap-part"),
    path("", include("league.pages.urls")),
]
handler400 = "league.handlers.bad_request"
handler403 = "league.handlers.forbidden"
handler404 = "league.handlers.not_found"
handler500 = "league.handlers.failed"
