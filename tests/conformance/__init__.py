"""The conformance runner: fixtures through the public import and build, every stated key asserted."""
