"""Every operation of the API in one table, and the OpenAPI 3.1 document that is made from it.

In: the operations and their records. Out: plain values. Absent: anything these do not say.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from howgood import __version__
from howgood.kinds.study import SLUG
from howgood.records.api_token import SCOPES
from howgood.records.codebook import DATA_FORMATS, SURVEY_FORMATS
from howgood.records.record import Record
from howgood.web.api import data, in_use, studies
from howgood.web.api.operation import PRODUCT, Operation
from howgood.web.problem import MEDIA, Problem

OPERATIONS: tuple[Operation, ...] = (
    *studies.OPERATIONS,
    *data.OPERATIONS,
    *in_use.OPERATIONS,
)
Schema = dict[str, Any]
_PATH_PARTS: dict[str, Schema] = {
    "slug": {"type": "string", "pattern": f"^{SLUG.pattern}$", "description": "the study"},
    "participant": {
        "type": "string",
        "minLength": 1,
        "maxLength": 200,
        "description": "number in the data, or the id of the platform",
    },
    "format": {
        "type": "string",
        "enum": [*DATA_FORMATS, *SURVEY_FORMATS],
        "description": "html, limesurvey and qualtrics: the survey itself; preferences: what was "
        "chosen and what rejected, of a study of votes; the others: the data",
    },
    "fit": {"type": "integer", "minimum": 1, "maximum": 2**53, "description": "number of the fit"},
    "product": {
        "type": "integer",
        "minimum": 1,
        "maximum": 2**53,
        "description": "number of the product",
    },
    "import": {
        "type": "integer",
        "minimum": 1,
        "maximum": 2**53,
        "description": "number of the import",
    },
}
_DESCRIPTION = (
    "Studies, participants, answers, fits and exports for programs. Send a token as "
    "`Authorization: Bearer howgood_...`; owners make tokens on the page API tokens. Problems come "
    "as application/problem+json and say where, what was found, what is needed and what to do."
)


class _OurSchema(GenerateJsonSchema):
    """Pydantic's JSON Schema without the titles that repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401 - as Pydantic has it
        """Return no, always."""
        return False


@cache
def openapi() -> dict[str, Any]:
    """Return the document."""
    schemas, parts = _schemas()
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        described = _described(operation, schemas, parts)
        paths.setdefault(operation.address, {})[operation.method.lower()] = described
    text = json.dumps([paths, parts])
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "howgood",
            "version": __version__,
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            # Records of parameters stand with their operations, and nothing else refers to them.
            "schemas": {
                name: part for name, part in sorted(parts.items()) if f'schemas/{name}"' in text
            },
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "; ".join(f"{name}: {text}" for name, text in SCOPES.items()),
                }
            },
        },
    }


def _schemas() -> tuple[dict[type[Record], Schema], dict[str, Schema]]:
    """Return a reference to every record's schema, and the schemas by name."""
    used: list[type[Record]] = [Problem]
    for operation in OPERATIONS:
        used += [model for model in (operation.query, operation.body, operation.answer) if model]
    references, whole = models_json_schema(
        [(record, "validation") for record in dict.fromkeys(used)],
        ref_template="#/components/schemas/{model}",
        schema_generator=_OurSchema,
    )
    parts: dict[str, Schema] = whole["$defs"]
    for part in parts.values():
        part.pop("title", None)
        if "description" in part:
            part["description"] = part["description"].partition("\n")[0]
    return {record: references[record, "validation"] for record in used}, parts


def _described(
    operation: Operation, schemas: Mapping[type[Record], Schema], parts: Mapping[str, Schema]
) -> dict[str, Any]:
    scope = operation.scope
    description: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.group],
        "parameters": [*_path_parameters(operation), *_query_parameters(operation, parts)],
        "responses": _responses(operation, schemas),
        "security": [{"token": []}] if scope else [],
    }
    description["description"] = (
        "Needs the token of the product, which is made on the page In use of a study."
        if scope == PRODUCT
        else f"Needs the scope `{scope}`."
        if scope
        else "Needs a token, with whatever scopes, only where the library is not public."
    )
    if operation.body is not None:
        description["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas[operation.body]}},
        }
    return description


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": _PATH_PARTS[name]}
        for name in operation.names
    ]


def _query_parameters(operation: Operation, parts: Mapping[str, Schema]) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    schema = parts[operation.query.__name__]
    return [
        {"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": own}
        for name, own in schema["properties"].items()
    ]


def _responses(operation: Operation, schemas: Mapping[type[Record], Schema]) -> dict[str, Any]:
    schema: Schema = {} if operation.answer is None else schemas[operation.answer]
    content = {media: {"schema": schema} if schema else {} for media in operation.media}
    responses: dict[str, Any] = {
        str(operation.status): {"description": operation.summary, "content": content}
    }
    refused = {"schema": {"$ref": "#/components/schemas/Problem"}}
    for status, text in _failures(operation).items():
        responses[str(status)] = {"description": text, "content": {MEDIA: refused}}
    return responses


def _failures(operation: Operation) -> dict[int, str]:
    failures = {
        400: "no text, or no JSON",
        422: "a parameter or the body is wrong",
        429: "too many requests",
    }
    failures[401] = "no valid token"
    if operation.scope:
        failures[403] = "the token does not allow this"
    if operation.names:
        failures[404] = "no such study, participant or fit, or the token does not reach it"
    if operation.body is not None:
        failures |= {413: "too large", 415: "another media type"}
    if operation.name == "answerInUse":
        failures[409] = "the id was used for another answer"
    if operation.name == "createStudy":
        failures[409] = "a study of this name exists"
    if operation.name == "export":
        failures[501] = "the server lacks a package for this format"
    return dict(sorted(failures.items()))
