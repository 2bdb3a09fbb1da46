"""What do agents ask? A Model Context Protocol server over repositories: search, read_span, status.

What belongs here: tools small enough to be in every prompt, with answers that keep to a budget of
tokens. `answers.py` knows nothing of the protocol; `server.py` nothing of ranking.
"""

from qidf.serving.mcp.answers import Desk
from qidf.serving.mcp.server import create_server, http_application, run_stdio

__all__ = ["Desk", "create_server", "http_application", "run_stdio"]
