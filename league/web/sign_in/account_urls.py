"""URLs of the pages of django-allauth that Rungs uses; there is no sign-up."""

from allauth.account import views as account
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.socialaccount.providers.discord import views as discord
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from allauth.usersessions.views import list_usersessions
from django.conf import settings
from django.urls import include, path, re_path, reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.generic import RedirectView

from league.web.sign_in import account_views
from league.web.sign_in.account_views import handle_provider_errors

urlpatterns = [
    path("forgotten/", account_views.request_password_reset, name="account_reset_password"),
    path("asked/", account.password_reset_done, name="account_reset_password_done"),
    path(
        "reset/done/",
        RedirectView.as_view(url=reverse_lazy("admin:login")),
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account_views.reset_password,
        name="account_reset_password_from_key",
    ),
    path("set/", RedirectView.as_view(url=reverse_lazy("admin:index")), name="account_set_password"),
    path("again/", account_views.reauthenticate, name="account_reauthenticate"),
    path("code/", account_views.second_factor_code, name="mfa_authenticate"),
    path("second/", account_views.second_factor_page, name="mfa_index"),
    path("second/on/", never_cache(account_views.mark_throttled(totp.activate_totp)), name="mfa_activate_totp"),
    path("second/off/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("second/codes/", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("second/codes/new/", recovery_codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("sessions/", list_usersessions, name="usersessions_list"),
]
if "openid_connect" in settings.SOCIALACCOUNT_PROVIDERS:
    issuer = {"provider_id": settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["provider_id"]}
    urlpatterns += [
        path("oidc/login/", handle_provider_errors(openid_connect.login), issuer, name="openid_connect_login"),
        path(
            "oidc/login/callback/",
            handle_provider_errors(openid_connect.callback),
            issuer,
            name="openid_connect_callback",
        ),
    ]
if "discord" in settings.SOCIALACCOUNT_PROVIDERS:
    urlpatterns += [
        path("discord/login/", handle_provider_errors(discord.oauth2_login), name="discord_login"),
        path("discord/login/callback/", handle_provider_errors(discord.oauth2_callback), name="discord_callback"),
    ]
if settings.SOCIALACCOUNT_PROVIDERS:
    urlpatterns.append(path("connected/", include("allauth.socialaccount.urls")))
