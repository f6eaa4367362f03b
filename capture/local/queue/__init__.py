"""Queue files: written before a mark moves, delivered oldest first, set aside if they are invalid or refused."""
