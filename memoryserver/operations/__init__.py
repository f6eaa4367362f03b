"""The page of the operation, for administrators: jobs, queue, laptops, embedding, and what the apps register."""
