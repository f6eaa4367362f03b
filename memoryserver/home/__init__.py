"""The home page: whether the memory works, who is stuck, and what was learned. Each app registers its part."""
