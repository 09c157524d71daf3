"""Benchmarks. Results are in bench/RESULTS.md."""
