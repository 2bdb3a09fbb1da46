"""`qidf eval` over many q, end to end from JSON Lines, against the same loop over bm25s.

`bm25s_loop` is the script a researcher would write: read, tokenize, index, then for each q rescale
the matrix, retrieve and measure. `measure` runs either in a new process and takes its wall time,
CPU time and peak memory from the system; `report` makes the ratios and the page.
"""
