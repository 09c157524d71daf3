"""Standings of competitions: lists of tie-breaks, ranks and the ranks still possible."""
