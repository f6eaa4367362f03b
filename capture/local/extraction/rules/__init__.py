"""The rules that make a sentence a learning: a set for agents and one for people."""
