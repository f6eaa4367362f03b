"""What the laptop's packages use: the HTTP client, the outbox, the configuration, the home folder, the context cache.

Standard library only, and nothing that the server imports.
"""
