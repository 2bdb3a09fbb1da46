"""The studies themselves, one file each; catalogue.py lists them."""
