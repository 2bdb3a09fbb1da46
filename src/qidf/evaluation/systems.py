"""What is compared: BM25 weighed in some way, DPH, or a run that someone else made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.evaluation.collection import Collection
from qidf.evaluation.dph import rank_dph
from qidf.evaluation.placement import Placement, found_nothing
from qidf.evaluation.runs import Run, rank_index, read_run
from qidf.weighting import PAPER, Weighting, parse_weighting, wanted
from qidf.weights import GammaIdf, IdfFormula

# The paper's grid for idf^gamma (rarity-rescale baselines); gamma = 1 is plain BM25.
GAMMAS = (0.5, 0.8, 1.0, 1.2, 1.5, 2.0)
_RUN = "run:"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Where a system put each relevant document, and which queries it answered at all."""

    ranks: np.ndarray
    answered: np.ndarray
    found_nothing: int = 0


class System(Protocol):
    """Something that ranks a collection's documents for its queries."""

    @property
    def name(self) -> str:
        """What it is called in tables and run files."""
        ...

    def outcome(self, placement: Placement, depth: int) -> Outcome:
        """Where it puts the relevant documents, as far as a depth."""
        ...

    def run(self, collection: Collection, depth: int) -> Run:
        """Its whole ranking to a depth."""
        ...


@dataclass(frozen=True, slots=True)
class QlogSystem:
    """A weighting, the paper's unless told, with this q; "auto" leaves q to each collection."""

    q: float | str
    base: Weighting = PAPER

    @property
    def name(self) -> str:
        """Such as q=0.5."""
        return f"q={self.q}" if isinstance(self.q, str) else f"q={self.q:g}"

    def at(self, collection: Collection) -> float:
        """The number it stands for in a collection."""
        return float(collection.index.decide(weighting=self.weighting).weighting.q or 1.0)

    @property
    def weighting(self) -> Weighting:
        """The base with this q."""
        return wanted(self.base, q=self.q)

    def outcome(self, placement: Placement, depth: int) -> Outcome:
        """Place the relevant documents."""
        return _placed(placement, self.weighting, depth)

    def run(self, collection: Collection, depth: int) -> Run:
        """Rank everything."""
        return rank_index(collection, depth, self.weighting, tag=self.name)


@dataclass(frozen=True, slots=True)
class WeightingSystem:
    """BM25 with any weighting; what is open in it each collection and query decides."""

    weighting: Weighting

    @property
    def name(self) -> str:
        """The weighting's own name, which parses back."""
        return repr(self.weighting)

    def outcome(self, placement: Placement, depth: int) -> Outcome:
        """Place the relevant documents."""
        return _placed(placement, self.weighting, depth)

    def run(self, collection: Collection, depth: int) -> Run:
        """Rank everything."""
        # Blanks separate the columns of a run file; without them the name parses back all the same.
        return rank_index(collection, depth, self.weighting, tag=self.name.replace(" ", ""))


@dataclass(frozen=True, slots=True)
class FormulaSystem:
    """BM25 with another idf altogether, repeats counted in full."""

    formula: IdfFormula

    @property
    def name(self) -> str:
        """The formula's own name, which parses back."""
        return repr(self.formula)

    def outcome(self, placement: Placement, depth: int) -> Outcome:
        """Place the relevant documents."""
        return _placed(placement, Weighting(self.formula, None, None), depth)

    def run(self, collection: Collection, depth: int) -> Run:
        """Rank everything."""
        return rank_index(collection, depth, Weighting(self.formula, None, None), tag=self.name)


@dataclass(frozen=True, slots=True)
class DphSystem:
    """Divergence from randomness, without parameters (dph.py)."""

    @property
    def name(self) -> str:
        """Always dph."""
        return "dph"

    def outcome(self, placement: Placement, depth: int) -> Outcome:
        """Rank everything and look the relevant documents up."""
        return _looked_up(self.run(placement.collection, depth), placement.collection)

    def run(self, collection: Collection, depth: int) -> Run:
        """Rank everything."""
        return rank_dph(collection, depth, tag=self.name)


@dataclass(frozen=True, slots=True)
class RunSystem:
    """A TREC run file."""

    path: Path

    @property
    def name(self) -> str:
        """Where the run is."""
        return f"{_RUN}{self.path}"

    def outcome(self, placement: Placement, depth: int) -> Outcome:
        """Look the relevant documents up; a query that isn't in the file has failed."""
        return _looked_up(self.run(placement.collection, depth), placement.collection)

    def run(self, collection: Collection, depth: int) -> Run:
        """Read the file."""
        return read_run(self.path, ties=collection.ties)


def parse_baseline(text: str) -> list[System]:
    """Return what a name stands for: dph, gamma (the paper's six), run:FILE, or a weighting.

    An idf formula such as gamma(gamma=2), for which gamma=2 is short, is a weighting too.
    """
    name = text.strip()
    if name == "dph":
        return [DphSystem()]
    if name == "gamma":
        return [FormulaSystem(GammaIdf(gamma)) for gamma in GAMMAS]
    if name.startswith(_RUN):
        return [RunSystem(Path(name.removeprefix(_RUN)))]
    if name.startswith("gamma="):
        name = f"gamma({name})"
    try:
        weighting = parse_weighting(name)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(
            f"{text!r} names no baseline ({str(error).rstrip('.')}); write dph, gamma, gamma=2,"
            " rsj, paper, qlog1p(q=0.5, k3=1) or run:FILE"
        ) from error
    if weighting.k3 is None and not isinstance(weighting.formula, str):
        return [FormulaSystem(weighting.formula)]
    return [WeightingSystem(weighting)]


def _placed(placement: Placement, weighting: Weighting, depth: int) -> Outcome:
    weighted = placement.weigh(weighting)
    return Outcome(
        placement.ranks(weighted, depth),
        np.ones(placement.collection.relevance.num_queries, bool),
        found_nothing(weighted),
    )


def _looked_up(run: Run, collection: Collection) -> Outcome:
    own = run.for_queries(collection)
    return Outcome(
        own.ranks(collection), np.array([each not in own.failed for each in own.query_ids], bool)
    )
