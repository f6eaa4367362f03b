"""`python -m memoryserver.cli` is the `memory` command."""

import sys

from memoryserver.cli.main import main

sys.exit(main())
