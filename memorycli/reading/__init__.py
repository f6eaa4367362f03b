"""What the commands ask the server about its data."""
