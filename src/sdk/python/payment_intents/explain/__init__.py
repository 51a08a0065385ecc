"""Explanations for development: why a signature is rejected."""
