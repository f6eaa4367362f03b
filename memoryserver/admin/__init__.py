"""What the admin's pages of every model share."""
