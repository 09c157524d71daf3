"""Leagues: settings, rules, seasons, adjustments, templates."""
