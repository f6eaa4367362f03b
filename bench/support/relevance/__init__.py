"""The sets of questions of `bench/relevance.py`, and what it prints of the floor."""
