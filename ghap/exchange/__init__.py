"""What clients exchange with the server: entries, resolved and open, one by one and as lists."""
