"""The wordings that make a sentence a learning, by who says them."""
