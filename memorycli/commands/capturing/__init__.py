"""The parts of `memory capture`."""
