"""What carries messages: a POST and its answer, the stream of a GET, the older HTTP+SSE."""
