"""The paper's figures, transcribed once, each with the table or figure it is printed in.

Values are as printed; None where the paper prints nothing. `REMARKS` holds what doesn't add up
within the paper itself, by study, so that a difference to ours isn't blamed on the wrong side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class MainRow:
    """A row of tab. main results; the interval is None where it is only said to span zero."""

    num_docs: int
    htok: float | None
    q_opt: float
    bm25: float
    qlog: float
    delta: float
    ci95: tuple[float, float] | None


# Tab. main results. Python's interval is [0, 0]: at q = 1 both sides are the same.
MAIN: Mapping[str, MainRow] = MappingProxyType(
    {
        "go": MainRow(182_440, 0.0630, 0.05, 0.258, 0.487, 0.230, (0.220, 0.240)),
        "java": MainRow(180_866, 0.0156, 0.90, 0.371, 0.383, 0.012, (0.010, 0.014)),
        "ruby": MainRow(27_570, 0.0244, 0.70, 0.345, 0.370, 0.024, (0.014, 0.035)),
        "python": MainRow(280_310, 0.0160, 1.00, 0.727, 0.727, 0.000, (0.0, 0.0)),
        "php": MainRow(267_725, 0.0133, 0.90, 0.371, 0.373, 0.002, (-0.001, 0.004)),
        "javascript": MainRow(64_854, 0.0206, 0.70, 0.352, 0.362, 0.010, (0.003, 0.017)),
        "nfcorpus": MainRow(3_633, None, 1.10, 0.306, 0.305, -0.002, None),
        "scifact": MainRow(5_183, None, 1.10, 0.662, 0.656, -0.006, None),
        "arguana": MainRow(8_674, None, 1.10, 0.361, 0.360, -0.001, None),
    }
)

# Sec. predictor, "Label": the grid that oracles are chosen from; text rows are at 1.1.
LABEL_GRID = (0.05, 0.10, 0.20, 0.30, 0.50, 0.70, 0.90, 1.00)
TEXT_Q = 1.10
# Tab. Go scaling and sec. mechanism: the "conservative" q.
CONSERVATIVE_Q = 0.10


@dataclass(frozen=True, slots=True)
class DeployableRow:
    """A row of tab. deployable; recovery is a share, None where it says flat or n/a."""

    q_pred: float
    ndcg_pred: float | None
    recovery: float | None


# Tab. deployable; its BM25, q_opt and NDCG at q_opt are those of tab. main results. PHP's recovery
# is printed as about 100%, and for the three text sets q_pred is printed as 1.00.
DEPLOYABLE: Mapping[str, DeployableRow] = MappingProxyType(
    {
        "go": DeployableRow(0.54, 0.448, 0.827),
        "java": DeployableRow(0.89, 0.383, 0.967),
        "ruby": DeployableRow(0.82, 0.364, 0.750),
        "python": DeployableRow(0.88, 0.726, None),
        "php": DeployableRow(0.90, 0.373, 1.0),
        "javascript": DeployableRow(0.85, 0.360, 0.808),
        "nfcorpus": DeployableRow(1.00, None, None),
        "scifact": DeployableRow(1.00, None, None),
        "arguana": DeployableRow(1.00, None, None),
    }
)

# Fig. q-sweep: Go at 50,000 and at all 182,440 documents.
SWEEP_GRID = (
    0.05, 0.10, 0.15, 0.20, 0.30, 0.50, 0.70, 0.80, 0.85, 0.90, 0.95, 1.00, 1.05, 1.10, 1.20, 1.30,
)  # fmt: skip
SWEEP_SIZE = 50_000
SWEEP_GO_50K: Mapping[float, float] = MappingProxyType(
    {
        0.05: 0.5325, 0.10: 0.5312, 0.15: 0.5295, 0.20: 0.5276, 0.30: 0.5222, 0.50: 0.4954,
        0.70: 0.4365, 0.80: 0.3962, 0.85: 0.3748, 0.90: 0.3522, 0.95: 0.3315, 1.00: 0.3091,
        1.05: 0.2903, 1.10: 0.2754, 1.20: 0.2509, 1.30: 0.2333,
    }
)  # fmt: skip
SWEEP_GO_FULL: Mapping[float, float] = MappingProxyType(
    {0.10: 0.4849, 0.30: 0.4774, 0.50: 0.4580, 1.00: 0.2575}
)


@dataclass(frozen=True, slots=True)
class ScalingRow:
    """A row of tab. Go scaling, at q = 0.10."""

    num_docs: int
    num_queries: int
    bm25: float
    qlog: float
    delta: float
    ci95: tuple[float, float]


# Tab. Go scaling.
SCALING: tuple[ScalingRow, ...] = (
    ScalingRow(1_000, 1_000, 0.532, 0.594, 0.061, (0.043, 0.079)),
    ScalingRow(2_000, 2_000, 0.501, 0.579, 0.078, (0.064, 0.092)),
    ScalingRow(5_000, 5_000, 0.417, 0.574, 0.157, (0.147, 0.168)),
    ScalingRow(10_000, 8_122, 0.392, 0.575, 0.183, (0.175, 0.192)),
    ScalingRow(20_000, 8_122, 0.363, 0.560, 0.198, (0.189, 0.207)),
    ScalingRow(50_000, 8_122, 0.309, 0.531, 0.222, (0.213, 0.231)),
    ScalingRow(182_440, 8_122, 0.258, 0.485, 0.227, (0.218, 0.237)),
)


@dataclass(frozen=True, slots=True)
class FamiliesRow:
    """A row of tab. lexical families; four digits where the text prints them."""

    bm25: float
    best_gamma: float
    gamma_ndcg: float
    dph: float
    qlog: float


# Tab. lexical families and the text around it.
FAMILIES: Mapping[str, FamiliesRow] = MappingProxyType(
    {
        "go": FamiliesRow(0.2575, 2.0, 0.3517, 0.1968, 0.4874),
        "python": FamiliesRow(0.727, 1.2, 0.727, 0.5538, 0.727),
    }
)


@dataclass(frozen=True, slots=True)
class Correlation:
    """How the gain of a query goes with a share of its tokens (sec. per-query mechanism)."""

    slope: float
    spearman: float


# Sec. per-query mechanism, Go at q = 0.10, 8,122 queries.
RARE_SHARE = Correlation(0.10, 0.10)
ORTHOGRAPHIC_SHARE = Correlation(0.002, -0.003)
# NDCG@10 lost when a bin's tokens are dropped from the queries: Go at q = 0.10 (the four bins from
# 6 to 1,000 have a mean of 0.0080), Python at q = 1.
OCCLUSION: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "go": MappingProxyType({"1": 0.4351, "2": 0.1127}),
        "python": MappingProxyType({"201-1000": 0.0703, "1001-5000": 0.0528}),
    }
)
OCCLUSION_GO_MIDDLE = 0.0080
OCCLUSION_Q: Mapping[str, float] = MappingProxyType({"go": 0.10, "python": 1.00})


@dataclass(frozen=True, slots=True)
class CaseToken:
    """A line of fig. case study."""

    token: str
    doc_freq: int
    idf: float
    qlog_idf: float
    ratio: float


# Fig. case study: 182,440 documents, q = 0.10; gold from rank 23 to rank 1.
CASE_STUDY = (
    CaseToken("handleWebSocketUpgrade", 1, 11.7, 41_933.0, 3_578.0),
    CaseToken("middleware", 1_820, 4.6, 68.8, 15.0),
    CaseToken("auth", 3_714, 3.9, 35.2, 9.0),
    CaseToken("handle", 14_203, 2.5, 9.2, 4.0),
)

# Fig. q-prediction: (predicted, oracle) at 1,000, 10,000 and all documents; (a) with the language
# left out of the fit, (b) with the final coefficient.
PREDICTION_SIZES = (1_000, 10_000, None)
LEFT_OUT: Mapping[str, tuple[tuple[float, float], ...]] = MappingProxyType(
    {
        "go": ((0.0100, 0.20), (0.1528, 0.05), (0.5472, 0.05)),
        "java": ((0.5282, 0.90), (0.7573, 0.70), (0.8815, 0.90)),
        "ruby": ((0.4989, 0.30), (0.7766, 0.70), (0.8294, 0.70)),
        "python": ((0.7012, 0.50), (0.8030, 0.70), (0.8859, 1.00)),
        "php": ((0.5730, 0.70), (0.8049, 0.70), (0.9022, 0.90)),
        "javascript": ((0.3719, 0.50), (0.7558, 0.70), (0.8481, 0.70)),
    }
)
CALIBRATION: Mapping[str, tuple[tuple[float, float], ...]] = MappingProxyType(
    {
        "go": ((0.0100, 0.20), (0.1423, 0.05), (0.5415, 0.05)),
        "java": ((0.5481, 0.90), (0.7675, 0.70), (0.8865, 0.90)),
        "ruby": ((0.4776, 0.30), (0.7671, 0.70), (0.8222, 0.70)),
        "python": ((0.6953, 0.50), (0.7992, 0.70), (0.8837, 1.00)),
        "php": ((0.5769, 0.70), (0.8067, 0.70), (0.9031, 0.90)),
        "javascript": ((0.3795, 0.50), (0.7587, 0.70), (0.8499, 0.70)),
    }
)


@dataclass(frozen=True, slots=True)
class FormBox:
    """A box of fig. q-prediction-boxplot: mean test recovery over the 20 splits.

    Whiskers at -1 are clipped there; the caption puts the true minima between -15 and -26.
    """

    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float


FORM_BOXES: Mapping[str, FormBox] = MappingProxyType(
    {
        "A": FormBox(-1.00, -0.5735, 0.5655, 0.6385, 0.879),
        "B": FormBox(-1.00, -1.00, -0.062, 0.381, 0.672),
        "C": FormBox(-1.00, -1.00, -0.086, 0.370, 0.665),
        "D": FormBox(-0.501, 0.523, 0.591, 0.630, 0.964),
        "E": FormBox(-1.00, -1.00, 0.179, 0.563, 0.678),
    }
)
# Sec. predictor.
COEFFICIENT = 7.28
CALIBRATION_RMSE = 0.18
LEFT_OUT_SIGMA = 0.183
LEFT_OUT_RECOVERY = 0.722
LEFT_OUT_WORST = ("python", 0.488)
LEFT_OUT_BEST = ("go", 0.890)
COMPANION_RECOVERY = -0.65
LEAST_Q_WHERE_FLAT = 0.884
ZIPF_RANGE = (1.65, 1.71)


@dataclass(frozen=True, slots=True)
class AdaptiveRow:
    """A point of fig. adaptive q: CoIR-Python."""

    num_docs: int
    bm25: float
    static: float
    adaptive: float


STATIC_Q = 0.70
ADAPTIVE: tuple[AdaptiveRow, ...] = (
    AdaptiveRow(1_000, 0.8686, 0.8820, 0.8821),
    AdaptiveRow(2_000, 0.8728, 0.8860, 0.8841),
    AdaptiveRow(5_000, 0.8422, 0.8560, 0.8538),
    AdaptiveRow(10_000, 0.8291, 0.8391, 0.8394),
    AdaptiveRow(20_000, 0.7981, 0.8067, 0.8096),
    AdaptiveRow(50_000, 0.7780, 0.7752, 0.7836),
    AdaptiveRow(280_310, 0.7273, 0.6940, 0.7256),
)

# Tab. and fig. tokenizer: (BM25, q-log) for T0 to T3 at 50,000 documents, with the q of each panel.
TOKENIZER_SIZE = 50_000
TOKENIZER_Q: Mapping[str, float] = MappingProxyType(
    {"go": 0.10, "python": 1.00, "java": 0.90, "ruby": 0.70}
)
TOKENIZERS: Mapping[str, tuple[tuple[float, float], ...]] = MappingProxyType(
    {
        "go": ((0.3091, 0.5312), (0.1486, 0.2582), (0.5625, 0.5637), (0.4692, 0.2954)),
        "python": ((0.7780, 0.7780), (0.9145, 0.9145), (0.7803, 0.7803), (0.7782, 0.7782)),
        "java": ((0.4298, 0.4402), (0.3344, 0.3511), (0.5493, 0.5503), (0.5293, 0.5301)),
        "ruby": ((0.3453, 0.3697), (0.1997, 0.2444), (0.4230, 0.4382), (0.4091, 0.4228)),
    }
)

REMARKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "main": (
            "The paper calls q = 1.10 the oracle of its text sets, yet every text row loses there;"
            " on a grid that holds 1 an oracle can't lose, so these rows are a fixed q, not an"
            " oracle.",
            "The paper's queries are CoIR's published functions; Python's contain the docstring"
            " that is to be found.",
        ),
        "deployable": (
            "The paper prints a predicted q of 1.00 for text; its own formula gives about 0.89 on"
            " NFCorpus and SciFact.",
            "The text says that Java, PHP and JavaScript recover nearly all of the gap; its table"
            " has 80.8% for JavaScript.",
        ),
        "sweep": (
            "The caption sets +88.3% at 182K against +72.3% at 50K; the first is at q = 0.10, the"
            " second at 0.05 (at 0.10 it is +71.9%, as in the tokenizer table).",
        ),
        "mechanism": (
            "The bins between df 6 and 200 are not named in the paper; ours are 6-20, 21-50 and"
            " 51-200, which with 201-1000 makes four as it says.",
            "The paper adds the losses of df 1 and df 2 up to 0.5478, more than the NDCG of 0.4849"
            " there is to lose: losses overlap, and a sum of them means nothing.",
            "The paper's case study can't be repeated: the analyzer yields no token `handle` from"
            " the query shown, documents of CoIR-Go are docstrings rather than files, and the"
            " weights 41,933 and 68.8 are not what its formula gives for the df it prints (41,905"
            " and 68.5). Ours is a query of the corpus, chosen by the rule in its note.",
        ),
        "predictor": (
            "The paper speaks of six features and lists seven, of five forms with two variants of"
            " one parameter and lists three.",
            "It says that form A alone has a positive median; its box plot prints positive medians"
            " for D (0.591, above A's) and E (0.179).",
            "The caption of the box plot says that A's interquartile range lies above zero; it"
            " begins at -0.574.",
            "How a point without a gap to recover (best q = 1) counts in a mean is not said; here"
            " it is left out.",
        ),
        "adaptive": (
            "The caption has the predictor above BM25 at every size and, in the same sentence,"
            " below it at the full one.",
        ),
        "tokenizers": (
            "Ruby has 27,570 documents, so that its panel at 50K is the whole corpus: its first"
            " bars are those of the main table.",
            "Whether T1 folds case is not said; ours does.",
        ),
    }
)
