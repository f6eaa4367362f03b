"""Agents' settings files: what `memory install` puts into them, takes out again, and `memory doctor` looks for.

jsontext        members and items put into, or taken out of, JSON text; every other byte stays
settings_file   one file read, backed up and replaced
handlers        what a hook's entry looks like, and which entries are this product's
hooks           those entries in a settings document
servers         the registration of `memory mcp`, in JSON and in TOML
claude_code     where Claude Code keeps its files, and what it knows
codex           the same of Codex
targets         the files, and what is done to each
plan            what an install or an uninstall would do, and doing it
installed       what was put in, so that it can be taken out to the byte
"""
