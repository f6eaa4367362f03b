"""Search over the memory: semantic, lexical and hybrid."""
