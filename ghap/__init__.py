"""Goal, Hypothesis, Action, Prediction: the journal of what an agent tried, expected and learned."""
