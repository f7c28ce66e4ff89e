"""What a browser sent, as plain text.

In: a request. Out: a form. Absent: what the fields mean (`flow.participate.parse_answer`), and file
uploads: participants send none.
"""

from urllib.parse import parse_qs

from starlette.requests import Request

_MOST_FIELDS = 500


async def read_form(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form; one that is not a form, or absurd, is empty."""
    body = await request.body()
    try:
        return parse_qs(
            body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
        )
    except ValueError:
        return {}
