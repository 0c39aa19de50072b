"""Injection signals: text in results and tool descriptions that is meant for the model and not for the person."""
