"""Running the server: start and stop, health, schedules."""
