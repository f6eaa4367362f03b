"""`python -m memorycli` is the `memory` command."""

import sys

from memorycli.main import main

sys.exit(main())
