"""Export and import of what the app stores."""
