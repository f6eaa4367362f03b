"""What the API's description (openapi.json) says beyond what follows from the code: fields, examples and errors."""
