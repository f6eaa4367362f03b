"""The context of a project: a short selection of its memory, given to an agent when a session starts."""
