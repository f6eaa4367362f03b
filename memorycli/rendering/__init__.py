"""How answers of the server are shown in a terminal."""
