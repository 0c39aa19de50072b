"""What a journal record shows of a call: a preview, with secrets masked."""
