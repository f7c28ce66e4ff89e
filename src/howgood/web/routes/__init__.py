"""Every address of the server, by who uses it."""

from starlette.convertors import IntegerConvertor, register_url_convertor


class _Number(IntegerConvertor):
    """A number of something we keep: what no database can hold is the address of nothing."""

    regex = "[0-9]{1,9}"


# Before the routes below are made: each that says {number:int} means such a number.
register_url_convertor("int", _Number())
