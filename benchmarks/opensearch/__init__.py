"""What q-log costs and brings on a real OpenSearch: start the servers, then run a module."""
