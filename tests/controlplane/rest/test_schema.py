"""The OpenAPI document says everything, without a warning."""

from typing import Any

import pytest

from controlplane.api.documents import schema
from controlplane.rest.schema import page_of
from jobs.api.shapes import JobOutput


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return schema()


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def test_it_is_made_without_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    schema()
    assert capsys.readouterr() == ("", "")


def test_every_operation_is_described_and_says_how_it_refuses(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        assert operation["description"], name
        refusal = operation["responses"]["default"]["content"]
        assert list(refusal) == ["application/problem+json"], name
        assert refusal["application/problem+json"]["schema"]["$ref"].endswith("/Problem"), name


def test_operation_ids_are_plain_words(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    assert all(id_.replace("_", "").isalpha() for id_ in ids)


def test_all_but_login_refresh_and_logout_need_a_token(document: dict[str, Any]) -> None:
    open_ones = {
        operation["operationId"]
        for _, operation in operations(document)
        if {"bearer": []} not in operation.get("security", [])
    }
    assert open_ones == {"login", "refresh", "logout"}


def test_a_list_of_one_shape_has_one_name() -> None:
    assert page_of(JobOutput) is page_of(JobOutput)
