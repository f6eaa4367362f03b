"""Export of a user's or a project's data as JSON lines, and import of such lines on another server."""
