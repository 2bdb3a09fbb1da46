from __future__ import annotations

import csv
import io

import pytest

from qidf.errors import InvalidArgumentError
from qidf.studies import Column, Table, table
from qidf.studies.tables import interval, ratio

COLUMNS = (Column("corpus", "corpus"), Column("ndcg", "NDCG", ".3f"), Column("ok", "ok"))


def small() -> Table:
    return table(
        "small",
        "A table",
        COLUMNS,
        [{"corpus": "go | all", "ndcg": 1 / 3, "ok": True}, {"corpus": "ruby"}],
    )


def test_a_reader_sees_rounded_values_and_nothing_where_there_is_none() -> None:
    assert small().markdown().splitlines() == [
        "| corpus | NDCG | ok |",
        "| --- | ---: | --- |",
        "| go \\| all | 0.333 | yes |",
        "| ruby |  |  |",
    ]


def test_a_script_reads_every_digit_back() -> None:
    rows = list(csv.reader(io.StringIO(small().csv())))
    assert rows[0] == ["corpus", "ndcg", "ok"]
    assert float(rows[1][1]) == 1 / 3
    assert rows[2] == ["ruby", "", ""]


def test_a_table_survives_json() -> None:
    assert Table.from_dict(small().to_dict()) == small()


def test_a_value_without_a_column_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="no column 'mrr'; add it"):
        table("small", "A table", COLUMNS, [{"mrr": 1.0}])


def test_a_row_of_another_width_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="has 1 values for 3 columns"):
        Table("small", "A table", COLUMNS, (("go",),))


def test_intervals_and_ratios_are_empty_where_they_mean_nothing() -> None:
    assert interval(None) is None
    assert interval((-0.00315, 0.2)) == "[-0.0032, +0.2000]"
    assert ratio(1.0, 0.0) is None
    assert ratio(0.6, 0.5) == pytest.approx(0.2)
