"""The laptop's `memory` command. It composes the local packages and owns no logic of theirs."""
