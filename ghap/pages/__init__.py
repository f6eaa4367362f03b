"""Pages of the journal, and its parts of the home page and of the page of a session."""
