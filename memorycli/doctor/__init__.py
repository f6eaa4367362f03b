"""The checks of `memory doctor`: one function for each kind of problem."""
