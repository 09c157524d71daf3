"""The URLs: pages at the root, the API below api/v1/, the admin site below admin/."""

from django.contrib import admin
from django.contrib.sitemaps import views as sitemaps
from django.urls import include, path

from league.core.capabilities import load_declared
from league.web.api.log.heads import site_key
from league.web.api.openapi.views import one_problem, problems
from league.web.public.robots import MAPS, index
from league.web.public.script_texts import texts
from league.web.sign_in import account_views, first_account, invitation_page

admin.autodiscover()
urlpatterns = [
    path(".well-known/rungs-key.json", site_key, name="site-key"),
    path("admin/leagues/", include("league.web.organiser.urls")),
    path("admin/login/", admin.site.login, name="account_login"),
    path("admin/password_change/", account_views.change_password, name="account_change_password"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("league.web.api.urls")),
    path("invitations/first/<str:secret>/", first_account.first_account, name="first_account"),
    path("invitations/<str:secret>/", invitation_page.invitation, name="invitation"),
    *(pattern for patterns in load_declared(lambda app: app.urls.site) for pattern in patterns),
    path("accounts/", include("league.web.sign_in.account_urls")),
    path("docs/problems/", problems, name="problems"),
    path("docs/problems/<str:code>/", one_problem, name="problem"),
    path("look/texts-<str:language>.js", texts, name="texts"),
    path("sitemap.xml", index, name="sitemap"),
    path("sitemap-<section>.xml", sitemaps.sitemap, {"sitemaps": MAPS}, name="sitemap-part"),
    path("", include("league.web.public.urls")),
]
handler400 = "league.web.error_pages.bad_request"
handler403 = "league.web.error_pages.forbidden"
handler404 = "league.web.error_pages.not_found"
handler500 = "league.web.error_pages.server_error"
