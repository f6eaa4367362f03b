"""Django's command line for the server; `make run` calls its `up`."""

from memoryserver.__main__ import main

if __name__ == "__main__":
    main()
