"""Benchmarks: whole processes, side by side in one run, by the operating system's own accounting. Never
part of the tests."""
