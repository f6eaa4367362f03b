"""Django's command line for the server; `make run` calls its `up`."""

from memoryserver.ops.management.program import main

if __name__ == "__main__":
    main()
