"""Middleware of every request: its id, its address, its body and texts, and the headers of the response."""
