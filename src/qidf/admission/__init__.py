"""Who may ask a server, and how long may it take? What the page, MCP and the proxy share.

[access](access.py) judges a request by the names in it and its token, [patience](patience.py) drops
connections that are slow to send or to read. Nothing here knows a web framework.
"""

from qidf.admission.access import Access, Names, host_name, same_site
from qidf.admission.patience import Patience

__all__ = ["Access", "Names", "Patience", "host_name", "same_site"]
