"""What the commands and the tools for agents ask the server about its data, and how they say its times."""
