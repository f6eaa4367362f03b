"""Queue files: written before a mark moves, delivered oldest first, set aside when they can never be stored."""
