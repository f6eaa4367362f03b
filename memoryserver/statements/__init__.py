"""Statements that are written by hand, where a queryset would cost more than what it asks for."""
