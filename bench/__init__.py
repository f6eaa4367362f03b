"""Benchmarks: each prints a table of ratios and, as its last line, one JSON object."""
