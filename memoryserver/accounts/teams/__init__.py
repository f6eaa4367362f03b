"""What people see and change of their teams and projects: the page, and the list of the API."""
