"""URLs of webhooks: organiser's pages and API."""

from django.urls import path

from league.apps.webhooks import api, organiser

API_LEAGUE = "leagues/<str:league>/"
WEBHOOK = API_LEAGUE + "webhooks/<str:webhook>/"

ORGANISER = [
    path("<str:slug>/webhooks/", organiser.manage_webhooks, name="webhooks"),
    path("<str:slug>/webhooks/<uuid:pk>/", organiser.edit_webhook, name="webhook"),
]
API = [
    path(API_LEAGUE + "webhooks/", api.Webhooks.as_view(), name="webhooks"),
    path(WEBHOOK, api.WebhookDetail.as_view(), name="webhook"),
    path(WEBHOOK + "test/", api.TestWebhook.as_view(), name="webhook-test"),
    path(WEBHOOK + "replay/", api.ReplayWebhook.as_view(), name="webhook-replay"),
    path(WEBHOOK + "rotate/", api.RotateSecret.as_view(), name="webhook-rotate"),
    path(WEBHOOK + "deliveries/", api.Deliveries.as_view(), name="deliveries"),
]
