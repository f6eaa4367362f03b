"""Limits shared by all processes of the server: counters of requests, and the cache that allauth counts in."""
