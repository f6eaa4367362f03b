"""The order of results beyond how well they match: what is preferred, and what later ones contradict."""
