"""The optional judge: a language model that accepts, rewords or rejects learnings whose score leaves it open."""
