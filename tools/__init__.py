"""Commands for those who work on the project that are no benchmarks: pictures, mutants, releases, audits."""
