"""Protocols: other ways to ask the same items. Each is a plan for the same engine."""
