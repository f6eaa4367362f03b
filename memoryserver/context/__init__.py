"""What an agent's session starts with: the little of the memory that helps most in a project."""
