"""Entries that agents work on now, as their laptops report them."""
