"""What is answered while something that the server needs is down."""
