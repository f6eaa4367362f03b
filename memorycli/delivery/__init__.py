"""Everything that leaves the laptop, and what is fetched in return."""
