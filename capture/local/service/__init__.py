"""Capture as a service of the laptop: the daemon, its log, its alerts, and its installation."""
