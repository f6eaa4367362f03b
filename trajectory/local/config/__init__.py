"""Which observers run: the schema of a configuration, the defaults, and what users and packages add."""
