"""How a laptop joins in one line: the script, and the client that this server ships, made of the code that it runs."""
