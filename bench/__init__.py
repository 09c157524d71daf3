"""Measures, as ratios in one run; see docs/performance.md."""
