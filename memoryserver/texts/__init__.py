"""Texts of agents and people, as pages show them."""
