"""Benchmarks: ratios measured in one run on this machine, never timed tests."""
