"""What all pages share: fragments, middleware, template filters and chips."""
