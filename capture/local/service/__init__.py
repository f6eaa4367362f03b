"""Capture as a service on the laptop: the daemon, its log, its notifications and its installation."""
