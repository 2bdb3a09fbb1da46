# Prose in tables reads better unbroken.
# ruff: noqa: E501
"""Judgements and reasons of docs/reproduction.md, row by row; the figures are in the run.

"same" means that sign and significance of a difference are the paper's, and the level too where the
data is the same or alike (Go, the text sets).
"""

from __future__ import annotations

Verdict = tuple[str, str]

_SHORTER = "level: our documents are shorter (see above)"

MAIN: dict[str, Verdict] = {
    "go (stripped)": (
        "same",
        "other packages, the same task: level, best q, gain and interval agree",
    ),
    "go (published)": ("same", "comments inside functions change little"),
    "java (stripped)": ("same sign, larger", f"{_SHORTER}; best q 0.70 instead of 0.90"),
    "java (published)": ("same sign, larger", "as stripped"),
    "ruby (stripped)": ("same", f"gain and best q; {_SHORTER}"),
    "ruby (published)": ("same", "as stripped"),
    "python (stripped)": (
        "different",
        "without the docstring in the query Python gains like the others, second only to Go: the"
        " paper's row comes from queries that contain their answer",
    ),
    "python (published)": (
        "same in substance",
        "nearly flat from q = 0.9 upwards and falling below, as in the paper; ours is best at 0.90"
        " by a hair",
    ),
    "php (stripped)": (
        "different",
        "a clear gain where the paper's is not significant; a third of the documents, and"
        f" {_SHORTER}",
    ),
    "php (published)": ("different", "as stripped"),
    "javascript (stripped)": ("same", f"gain and best q; {_SHORTER}"),
    "javascript (published)": ("same", "as stripped"),
    "nfcorpus @ 1.1": (
        "same values, different verdict",
        "the same data and the same NDCG, but the interval lies below zero: a small loss, not none",
    ),
    "scifact @ 1.1": (
        "same values, different verdict",
        "the same data and the same NDCG; the interval ends just below zero, p is just above 0.05",
    ),
}

DEPLOYABLE: dict[str, Verdict] = {
    "go (stripped)": (
        "same, a little less",
        "htok is 0.051 instead of 0.063, so that q stays higher",
    ),
    "java (stripped)": (
        "different",
        "the best q is 0.70 here; the predicted one stops short of it",
    ),
    "ruby (stripped)": ("same", ""),
    "python (stripped)": (
        "different",
        "there is a gap, and the predicted q closes part of it; the corpus is the same as in the"
        " next row, so that no formula of the corpus alone can be right for both",
    ),
    "python (published)": ("same", "hardly a gap to close"),
    "php (stripped)": ("different", "as Java"),
    "javascript (stripped)": ("different", "as Java, less far"),
    "nfcorpus": (
        "different",
        "the paper prints 1.00 where its formula gives 0.89; harmless, the interval spans zero",
    ),
    "scifact": ("different", "as NFCorpus"),
}

SWEEP: dict[tuple[int, float], Verdict] = {
    (50_000, 0.05): ("same", "the best of the grid in both"),
    (50_000, 0.5): ("same", ""),
    (50_000, 0.9): ("same", ""),
    (50_000, 1.0): ("same", "ours is a little higher throughout"),
    (50_000, 1.3): ("same", "falls beyond 1 in both"),
    (182_440, 0.1): ("same", ""),
    (182_440, 0.5): ("same", ""),
    (182_440, 1.0): ("same", ""),
}

_SMALL = "a larger gain; why is not known to us, and htok doesn't explain it: at 10,000 documents ours is 0.10, and the paper's predicted q implies 0.12"
SCALING: dict[int, Verdict] = {
    1_000: ("same sign, larger", _SMALL),
    2_000: ("same sign, larger", _SMALL),
    5_000: ("same sign, larger", _SMALL),
    10_000: ("same sign, larger", _SMALL),
    20_000: ("same sign, larger", _SMALL),
    50_000: ("same", ""),
    182_440: (
        "same",
        "the gain itself; that it grows at every step is different, ours is largest at 50,000",
    ),
}

FAMILIES: dict[str, Verdict] = {
    "go (stripped)": (
        "same on the paper's grid, different beyond",
        "gamma = 2 is the edge of the grid, as the paper says; gamma = 12 gives what q-log gives,"
        " within its interval",
    ),
    "python (stripped)": ("different", "the queries, as in the main results; DPH loses in both"),
    "python (published)": ("same", "nothing to gain for any of them, DPH loses"),
    "java (stripped)": ("not in the paper", "q-log leads gamma by little"),
    "ruby (stripped)": ("not in the paper", "q-log leads gamma by little"),
    "php (stripped)": ("not in the paper", "q-log leads gamma by little"),
    "javascript (stripped)": ("not in the paper", "no difference between q-log and gamma = 2"),
}

MECHANISM: dict[str, tuple[str, str, str]] = {
    "rare": (
        "Go: gain against the share of tokens with df <= 5",
        "depends on the reading",
        "counting words that occur nowhere as rare gives the paper's slope and half of its rho;"
        " among known words the slope is near zero. Weak in any case, as the paper says",
    ),
    "none": (
        "Go: gain with and without such a token",
        "not in the paper",
        "having one at all is what matters, not the share",
    ),
    "orthographic": (
        "Go: gain against the share of CamelCase or dotted tokens",
        "same",
        "no relation worth the name",
    ),
    "df 1": (
        "Go, q = 0.10: loss without tokens of df 1",
        "same order, smaller",
        "by far the largest bin",
    ),
    "df 2": ("Go: without df 2", "same order, smaller", "the next largest"),
    "middle": ("Go: mean of the four bins from 6 to 1,000", "same", ""),
    "python 201-1000": (
        "Python, q = 1: without df 201-1000",
        "same where published, larger",
        "the middle bins matter when the query holds the docstring's own words",
    ),
    "python 1001-5000": (
        "Python, q = 1: without df 1001-5000",
        "same where published, larger",
        "as above",
    ),
    "python 1": (
        "Python, q = 1: without df 1",
        "different where stripped",
        "without the docstring no bin stands out at q = 1; at q = 0.10 df 1 does, as on Go",
    ),
    "case": (
        "The case study",
        "can't be repeated",
        "its tokens, weights and documents don't fit together (see the end of this page); ours is a"
        " query of the corpus",
    ),
}

PREDICTOR: dict[str, Verdict] = {
    "labelled points": ("same", "six languages at 1,000, 10,000 and all documents"),
    "coefficient of htok, refit": (
        "different",
        "shorter documents make htok of small samples two to five times higher outside Go, and at full size the best q is 0.70 there",
    ),
    "RMSE to the best q, refit": (
        "different, larger",
        "one line through htok fits Go or the others, not both",
    ),
    "RMSE to the best q, the paper's 7.28": (
        "different, larger",
        "lower than after our refit, which minimises the error before clipping",
    ),
    "half splits, median of mean recovery": (
        "different, better",
        "every language has a gap worth closing here, so that a miss costs less of it",
    ),
    "half splits, lower quartile": ("different, better", "no split fails"),
    "half splits, upper quartile": ("different, better", "as the median"),
    "language left out, grand mean": ("same", "a little better"),
    "language left out, worst language": ("different, better", "as the median"),
    "language left out, best language": ("same", ""),
    "language left out, standard deviation of residuals": ("different, larger", "as the RMSE"),
    "df-only companion (E), grand mean": (
        "depends on Python's queries",
        "good with stripped queries; with published ones it misses a small gap by much, as in the paper",
    ),
    "least predicted q where the best is 0.95 or more": (
        "nothing to compare",
        "no corpus of ours has its best q at 0.95 or above",
    ),
    "least Zipf exponent": (
        "same",
        "at full size all lie between 1.61 and 1.68, of no use for choosing q, as the paper says",
    ),
    "largest Zipf exponent": (
        "different",
        "of a sample of 1,000 documents; the paper's range seems to be that of full corpora",
    ),
}
FORMS: dict[str, Verdict] = {
    "A": (
        "different, better",
        "the paper's lower quartile is far below zero, ours is near the median",
    ),
    "B": (
        "depends on Python's queries",
        "stripped, no worse than A; published, it fails as in the paper",
    ),
    "C": ("depends on Python's queries", "as B"),
    "D": ("depends on Python's queries", "stripped, the best of all; published, below A"),
    "E": ("depends on Python's queries", "as B"),
}

ADAPTIVE: dict[str, dict[int, Verdict]] = {
    "python (published)": {
        1_000: (
            "same",
            "both q above BM25; htok of our sample is higher (0.21, not 0.04), so that the predicted q is lower",
        ),
        2_000: ("same", "as above, though the fixed q is ahead"),
        5_000: ("different", "the predicted q only ties with BM25, the fixed one gains"),
        10_000: ("different", "as above"),
        20_000: ("different", "the predicted q is a hair below BM25"),
        50_000: ("same", "nothing gained or lost that the interval could tell"),
        280_310: (
            "same",
            "the fixed q loses, the predicted one hardly: -0.4%, in the paper -0.23%",
        ),
    },
    "python (stripped)": {
        1_000: ("not in the paper", "both q gain, the predicted one more"),
        2_000: ("not in the paper", "as above"),
        5_000: ("not in the paper", "as above"),
        10_000: ("not in the paper", "as above"),
        20_000: ("not in the paper", "as above"),
        50_000: ("not in the paper", "as above, by little"),
        280_310: (
            "not in the paper",
            "the fixed q gains more: the predicted q has gone up with the size, the best one less",
        ),
    },
}

_BLANKS = (
    "different level",
    "names in code as written are glued to punctuation, so that hardly any token matches; how the"
    " paper's functions are spaced is not known to us",
)
TOKENIZERS: dict[str, list[Verdict]] = {
    "go (stripped)": [
        ("same", ""),
        _BLANKS,
        ("different", "q-log still adds, the more at its own best q"),
        ("same", "q = 0.10 hurts over parts alone; BM25 or q = 0.9 is right there"),
    ],
    "java (stripped)": [
        ("same sign, larger", _SHORTER),
        _BLANKS,
        ("same", "the analyzer does far more than q-log, and little is left to add"),
        ("same", "as T2"),
    ],
    "ruby (stripped)": [
        ("same", _SHORTER),
        _BLANKS,
        ("different, less left", "nothing left to add at 0.70, hardly anything at 0.90"),
        ("different, less left", "as T2"),
    ],
    "python (published)": [
        ("same", "flat; best at 0.90"),
        ("different", "not the best analyzer here; why it is there is not known to us"),
        ("different", "the best analyzer for BM25"),
        ("different", "better than T0 as well"),
    ],
    "python (stripped)": [
        ("different", "a gain, where the paper has none to show"),
        ("different", "the worst analyzer, not the best"),
        ("different", "splitting more than doubles BM25, and q-log adds to it"),
        ("different", "as T2, a little lower"),
    ],
}

_CARDS = "https://huggingface.co/datasets/CoIR-Retrieval/CodeSearchNet-{}-queries-corpus"
DATA = (
    "NFCorpus and SciFact are the paper's own data. For the six languages the paper has CoIR's"
    " CodeSearchNet, and we have functions of package registries, built as"
    " [the corpora's page](../benchmarks/corpora/README.md) says: the same task, other packages, no"
    " duplicates, and PHP at less than a third of the size. One difference moves levels. Our"
    " documents are the first paragraph of a function's documentation, 62 to 105 bytes on average;"
    " CoIR's are longer outside Go. By its dataset cards a row of the corpus, ids included, has"
    f" 133 bytes in [Go]({_CARDS.format('go')}), 212 in [Java]({_CARDS.format('java')}) and 295 in"
    f" [Python]({_CARDS.format('python')}). More of a function's own words are then in its"
    " document, and BM25 finds it more easily. So levels can be compared on Go and on text; elsewhere signs,"
    " the best q and the order of systems can. Queries come in two forms: *published*, as"
    " CodeSearchNet has functions, and *stripped* of comments and docstrings. Only in Python does"
    " the published form contain the document."
)

PROXIES = (
    "Tuning on few labels, which the paper only recommends, is measured in"
    " [the run](../benchmarks/runs/studies-2026-11-16-061bb39/tune/README.md). ArguAna, the paper's third"
    " text set, is not among the data we have. That DPH ranks as Terrier's does is"
    " [checked apart](../benchmarks/runs/dph-2026-11-16-0151-8010c02.md)."
)
