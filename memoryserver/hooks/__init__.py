"""Events straight from agents' hooks, for developers who install nothing: apps take them, the hook's form answers."""
