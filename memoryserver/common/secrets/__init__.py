"""The forms of secrets: those known by themselves, and those that their place or name tells."""
