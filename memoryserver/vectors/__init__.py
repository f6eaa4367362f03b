"""Vectors and texts in named collections: the VectorStore and its Postgres implementation."""
