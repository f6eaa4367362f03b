"""Actions of the admin, for the admin classes of all apps."""
