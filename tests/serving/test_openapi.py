"""Every route keeps to the description of the API, whatever it is asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from listening import Server

schemathesis = pytest.importorskip("schemathesis", reason="pip install schemathesis")

from qidf.serving.web.description import FIELDS, describe  # noqa: E402

schema = schemathesis.openapi.from_dict(describe())


@schema.parametrize()
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)
def test_no_request_breaks_the_api_or_its_promises(case: Any, server: Server) -> None:
    response = case.call(base_url=server.address)
    case.validate_response(response)
    assert "Traceback" not in response.text
    assert response.status_code < 500


def test_the_description_is_served_and_names_every_question(server: Server) -> None:
    found = server.get("/openapi.json").json
    assert found == describe()
    assert found["openapi"] == "3.1.0"
    assert {path.removeprefix("/api/") for path in found["paths"]} == {*FIELDS, "status"}
