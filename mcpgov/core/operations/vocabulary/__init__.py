"""The words that tool names are made of, as data; `tool_names` combines them."""
