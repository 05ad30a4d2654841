"""The test suite, and the programs that account for it."""
