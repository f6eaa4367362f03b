"""Who is there, what is whose, and who may see which row."""
