"""One file for each command, each with a `command`."""
