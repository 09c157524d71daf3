"""Tests of league/apps/webhooks."""
