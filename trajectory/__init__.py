"""Is the agent getting anywhere? Its tool calls are kept, observers look at them, it reads the finding."""
