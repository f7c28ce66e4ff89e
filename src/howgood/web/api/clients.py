"""Programs that ask the API, written from its description: a Python module and an R script.

In: the OpenAPI document. Out: the text of a program without dependencies of ours. Absent: the API.
"""

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

Language = Literal["python", "r"]
_PYTHON_HEAD = '''"""Ask a howgood server. Made by `howgood client` from the description of its API.

Needs Python 3.11 and nothing else. Keep the token out of your code:

    client = Client("https://studies.example.org", os.environ["HOWGOOD_TOKEN"])
"""

import json
import urllib.parse
import urllib.request


class Client:
    """One server and a token for it."""

    def __init__(self, home, token=""):
        self._home, self._token = home.rstrip("/"), token

    def _ask(self, method, path, query=None, body=None):
        """Return what the server answers: JSON as plain values, anything else as bytes."""
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        asked = {name: str(value).lower() if isinstance(value, bool) else value
                 for name, value in asked.items()}
        address = self._home + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        head = {"Authorization": "Bearer " + self._token} if self._token else {}
        data = None
        if body is not None:
            data, head["Content-Type"] = json.dumps(body).encode(), "application/json"
        request = urllib.request.Request(address, data=data, headers=head, method=method)
        with urllib.request.urlopen(request) as answer:
            content = answer.read()
            is_json = answer.headers.get_content_type() == "application/json"
        return json.loads(content) if is_json else content
'''
_R_HEAD = """# Ask a howgood server. Made by `howgood client --language r`.
#
# Needs the packages httr2 and jsonlite. Keep the token out of your script:
#
#   server <- howgood("https://studies.example.org", Sys.getenv("HOWGOOD_TOKEN"))

howgood <- function(home, token = "") list(home = sub("/+$", "", home), token = token)

howgood_ask <- function(server, method, path, query = list(), body = NULL) {
  asked <- httr2::request(paste0(server$home, path))
  asked <- httr2::req_method(asked, method)
  if (nzchar(server$token)) asked <- httr2::req_auth_bearer_token(asked, server$token)
  query <- Filter(Negate(is.null), query)
  if (length(query)) asked <- httr2::req_url_query(asked, !!!query)
  if (!is.null(body)) asked <- httr2::req_body_json(asked, body)
  answer <- httr2::req_perform(asked)
  if (identical(httr2::resp_content_type(answer), "application/json")) {
    return(httr2::resp_body_json(answer, simplifyVector = TRUE))
  }
  httr2::resp_body_raw(answer)
}
"""


def client_program(document: Mapping[str, Any], language: Language) -> str:
    """Return a program with a function for every operation of the document."""
    operations = list(_operations(document))
    if language == "python":
        return _PYTHON_HEAD + "".join(_python(*operation) for operation in operations)
    return _R_HEAD + "".join(_r(*operation) for operation in operations)


def _operations(
    document: Mapping[str, Any],
) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            name = re.sub(r"(?<!^)([A-Z])", r"_\1", about["operationId"]).lower()
            yield name, method.upper(), path, about


def _safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def _parts(about: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    parameters = about.get("parameters", ())
    in_path = [parameter["name"] for parameter in parameters if parameter["in"] == "path"]
    return in_path, [parameter["name"] for parameter in parameters if parameter["in"] == "query"]


def _python(name: str, method: str, path: str, about: Mapping[str, Any]) -> str:
    in_path, in_query = _parts(about)
    has_body = "requestBody" in about
    needed = ["self", *map(_safe, in_path), *(["body"] if has_body else [])]
    named = ["*", *(f"{_safe(parameter)}=None" for parameter in in_query)] if in_query else []
    filled = path
    for parameter in in_path:
        filled = filled.replace(
            f"{{{parameter}}}", f"{{urllib.parse.quote(str({_safe(parameter)}), safe='')}}"
        )
    query = ", ".join(f'"{parameter}": {_safe(parameter)}' for parameter in in_query)
    call = f'"{method}", f"{filled}", {{{query}}}' + (", body" if has_body else "")
    return (
        f"\n    def {_safe(name)}({', '.join([*needed, *named])}):\n"
        f'        """{about["summary"]}."""\n'
        f"        return self._ask({call})\n"
    )


def _r(name: str, method: str, path: str, about: Mapping[str, Any]) -> str:
    in_path, in_query = _parts(about)
    has_body = "requestBody" in about
    given = [
        "server",
        *in_path,
        *(["body"] if has_body else []),
        *(f"{q} = NULL" for q in in_query),
    ]
    pieces = re.split(r"\{(\w+)\}", path)
    address = ", ".join(
        f"utils::URLencode(as.character({piece}), reserved = TRUE)" if place % 2 else f'"{piece}"'
        for place, piece in enumerate(pieces)
        if piece
    )
    query = ", ".join(f"{parameter} = {parameter}" for parameter in in_query)
    call = f'howgood_ask(server, "{method}", paste0({address}), list({query})'
    return (
        f"\n# {about['summary']}.\nhowgood_{name} <- function({', '.join(given)}) {{\n"
        f"  {call}{', body' if has_body else ''})\n}}\n"
    )
