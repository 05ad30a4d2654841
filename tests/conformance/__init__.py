"""The conformance runner: every fixture through the public import and build, every stated key asserted (docs/conformance.md)."""
