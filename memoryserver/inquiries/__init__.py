"""What was asked of the memory and opened in it, by whom and by which way; kept for KEPT_DAYS."""
