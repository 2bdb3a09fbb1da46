"""qidf's DPH against Terrier's and Xapian's own, on the same tokens.

Terms are numbered before any engine sees them, so that no analyzer, stop list or length limit can
differ: what is compared is the formula and the ranking. Each engine runs in its own interpreter
(`terrier_child`, `xapian_child`), since both bring what the package must not depend on. `sample`
makes the input, `agreement` the figures, `report` the page.
"""
