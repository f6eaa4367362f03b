"""Metrics of capture: whether it works, and how much of what agents say it keeps."""
