"""Requests to addresses that somebody entered; private ones are reached only where a setting says so."""
