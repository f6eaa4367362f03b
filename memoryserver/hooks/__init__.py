"""Hook events posted directly by agents, for developers who install no client."""
