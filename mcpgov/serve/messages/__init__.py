"""The messages of a conversation on their way out, and how it ends."""
