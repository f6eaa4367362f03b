"""Named collections of texts with vectors: the VectorStore and its Postgres implementation."""
