"""The sets of questions of `bench/relevance.py`, and how their floor is told."""
