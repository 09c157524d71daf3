"""Measures, as ratios in one run; see bench/RESULTS.md."""
