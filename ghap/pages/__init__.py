"""Pages of the journal: the list of entries, one entry, and its part of the home page."""
