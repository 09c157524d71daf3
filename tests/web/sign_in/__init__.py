"""Tests of league/web/sign_in."""
