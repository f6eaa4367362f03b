"""The commands of `memory`, one module each; `memorycli.main` loads the one that was asked for."""
