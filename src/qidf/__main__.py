"""`python -m qidf` is the command `qidf`."""

from qidf.cli import main

main(prog_name="qidf")
