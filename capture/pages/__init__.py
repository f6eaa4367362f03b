"""Pages of learnings and of capture's metrics, and the cards that learnings are shown as."""
