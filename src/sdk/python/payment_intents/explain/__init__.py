"""Explanations for development: why a signature or a token is rejected."""
