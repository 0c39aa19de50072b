"""The messages of a conversation as they come and go, and how it ends."""
