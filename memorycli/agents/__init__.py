"""Agents' settings files: how `memory install` and `memory uninstall` edit them and `memory doctor` reads them.

jsontext        edit one member or item of JSON text; every other byte is unchanged
settings_file   read, back up and replace one file
handlers        the forms of a hook's entry, and how to recognise this product's
hooks           these entries in a settings document
servers         the registration of `memory mcp`, in JSON and in TOML
claude_code     Claude Code's files, events and versions
codex           the same for Codex
targets         the files to edit, with the functions for each
plan            plan and apply an install or an uninstall
installed       records of what was added, to restore each file to the byte
"""
