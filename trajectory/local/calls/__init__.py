"""Tool calls: their records, what their results report, and which earlier calls they repeat."""
