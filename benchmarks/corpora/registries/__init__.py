"""Where packages are listed and fetched from, through each registry's own configured client.

No host is named here: the archive comes from apt's configuration, packages of PyPI and npm through
pip and npm, so a machine behind a mirror needs no other setting.
"""
