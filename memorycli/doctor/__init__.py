"""What `memory doctor` looks for: a function for each thing that can be wrong."""
