"""Conversations over HTTP: sessions on `live`, their questions, and which one a request belongs to."""
