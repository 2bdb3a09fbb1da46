"""The paper's case study (fig. case-study): four Go tokens among 182,440 documents."""

from __future__ import annotations

import pytest

from qidf.weights import LuceneIdf, QlogRsj, RsjIdf

NUM_DOCS = 182_440

# token, doc_freq, idf as printed, q = 0.10 idf by the paper's formula. The figure prints 41,933
# and 68.8 for the first two, which its own formula doesn't give for these doc_freq and N; the
# ratio it prints beside the first (3578) belongs to 41,905. The other two are as printed.
TOKENS = [
    ("handleWebSocketUpgrade", 1, 11.7, 41_905.5),
    ("middleware", 1_820, 4.6, 68.5),
    ("auth", 3_714, 3.9, 35.2),
    ("handle", 14_203, 2.5, 9.2),
]


@pytest.mark.parametrize(("token", "doc_freq", "printed", "amplified"), TOKENS)
def test_the_tokens_weigh_what_the_formula_says(
    token: str, doc_freq: int, printed: float, amplified: float
) -> None:
    assert RsjIdf().weight(doc_freq, NUM_DOCS) == pytest.approx(printed, abs=0.05)
    assert QlogRsj(0.10).weight(doc_freq, NUM_DOCS) == pytest.approx(amplified, abs=0.05)


def test_the_hapax_is_amplified_more_than_three_thousand_times() -> None:
    ratio = QlogRsj(0.10).weight(1, NUM_DOCS) / RsjIdf().weight(1, NUM_DOCS)
    assert ratio == pytest.approx(3579.0, abs=0.05)


def test_the_printed_idf_is_the_classical_one_not_lucenes() -> None:
    assert round(RsjIdf().weight(14_203, NUM_DOCS), 1) == 2.5
    assert round(LuceneIdf().weight(14_203, NUM_DOCS), 1) == 2.6
