"""Small faults for a module's source: what a slip of the pen could have made of it.

In: the source of a module. Out: `Mutant`s, each one changed place, and the tree with that change.
Absent: texts (error messages, labels), annotations, `raise` statements and class bodies: a fault
there either cannot change a number or cannot be put into a running process (see `mutants.py`).
"""

import ast
import copy
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type, list[type]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
_ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_OPPOSITES = {
    a: b
    for pair in [
        ("min", "max"), ("minimum", "maximum"), ("any", "all"), ("argmin", "argmax"),
        ("floor", "ceil"), ("log", "log1p"), ("exp", "expm1"), ("sin", "cos"), ("sum", "mean"),
        ("cumsum", "cumprod"), ("zeros", "ones"), ("zeros_like", "ones_like"),
    ]
    for a, b in [pair, pair[::-1]]
}  # fmt: skip
_Place = tuple[str | int, ...]  # fields and list positions from the module down to a node


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed place: in which function (or constant), where, and what it became."""

    module: str
    scope: str
    line: int
    lines: tuple[int, int]
    change: str
    ordinal: int
    place: _Place
    replacement: ast.AST | None
    code: str  # a digest of the function (or constant) it changes

    @property
    def name(self) -> str:
        """What stays the same when other functions of the module change."""
        return f"{self.module}:{self.scope}:{self.ordinal}:{self.change}"

    @property
    def lot(self) -> str:
        """A fixed random order, so that a sample is the same in every run."""
        return hashlib.sha256(self.name.encode()).hexdigest()


def mutants_of(module: str, source: str) -> list[Mutant]:
    """Return every mutant of a module's functions, methods and constants."""
    tree = ast.parse(source)
    found: list[Mutant] = []
    for scope, place, node in _scopes(tree):
        code = hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:12]
        changes = enumerate(_walk(node, place, _ANYWHERE))
        for ordinal, (line, lines, where, other, change) in changes:
            found.append(Mutant(module, scope, line, lines, change, ordinal, where, other, code))
    return found


def mutated(source: str, mutant: Mutant) -> ast.Module:
    """Return the tree of a source with a mutant's change made."""
    tree = ast.parse(source)
    parent: object = tree
    for step in mutant.place[:-1]:
        parent = parent[step] if isinstance(step, int) else getattr(parent, step)
    last = mutant.place[-1]
    if isinstance(last, str):
        setattr(parent, last, mutant.replacement)
    elif mutant.replacement is None:
        del parent[last]  # type: ignore[attr-defined]  # a list, by the way it was found
    else:
        parent[last] = mutant.replacement  # type: ignore[index]  # a list, by the way it was found
    return ast.fix_missing_locations(tree)


def _scopes(tree: ast.Module) -> Iterator[tuple[str, _Place, ast.AST]]:
    """Yield functions, methods and module constants with their qualified names."""
    for index, node in enumerate(tree.body):
        place: _Place = ("body", index)
        if isinstance(node, ast.FunctionDef):
            yield node.name, place, node
        elif isinstance(node, ast.ClassDef):
            yield from _methods(node, place)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id != "__all__":
                yield target.id, place, node


def _methods(kind: ast.ClassDef, place: _Place) -> Iterator[tuple[str, _Place, ast.AST]]:
    for index, child in enumerate(kind.body):
        if isinstance(child, ast.FunctionDef):
            yield f"{kind.name}.{child.name}", (*place, "body", index), child


_ANYWHERE = (1, 10**9)
_UNTOUCHED = {"annotation", "returns", "decorator_list", "targets", "target", "type_params"}


_Change = tuple[int, tuple[int, int], _Place, ast.AST | None, str]


def _walk(node: ast.AST, place: _Place, lines: tuple[int, int]) -> Iterator[_Change]:
    if isinstance(node, ast.stmt) and not _is_constant(node, place):
        lines = _own_lines(node)
    for change, replacement, where in _of_node(node):
        # Every node that is mutated stands on a line; the type of all nodes does not say so.
        yield node.lineno, lines, (*place, *where), replacement, change  # type: ignore[attr-defined]
    for field, value in ast.iter_fields(node):
        if field in _UNTOUCHED:
            continue
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr):
                continue
            below = (*place, field) if index is None else (*place, field, index)
            yield from _walk(child, below, lines)


def _is_constant(node: ast.stmt, place: _Place) -> bool:
    """Say whether a statement is read with the module, before any test, and matters anywhere."""
    return len(place) == 2 and isinstance(node, ast.Assign | ast.AnnAssign)


def _own_lines(node: ast.stmt) -> tuple[int, int]:
    """Return the lines of a statement without those of the block below it."""
    body = getattr(node, "body", None)
    if isinstance(node, ast.FunctionDef):
        return node.lineno, node.end_lineno or node.lineno
    if body:
        return node.lineno, max(node.lineno, body[0].lineno - 1)
    return node.lineno, node.end_lineno or node.lineno


_Found = Iterator[tuple[str, ast.AST | None, _Place]]


def _of_node(node: ast.AST) -> _Found:
    """Yield what may become of one node: description, replacement, where below the node."""
    for kind, changes in _RULES.items():
        if isinstance(node, kind):
            yield from changes(node)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.deepcopy(node)
    for field, value in fields.items():
        setattr(other, field, value)
    return other


def _of_compare(node: ast.Compare) -> _Found:
    for index, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            change = f"{type(operator).__name__} -> {other.__name__}"
            yield change, other(), ("ops", index)


def _of_binary(node: ast.BinOp | ast.AugAssign) -> _Found:
    is_text = isinstance(getattr(node, "right", None), ast.Constant | ast.JoinedStr) and isinstance(
        getattr(getattr(node, "right", None), "value", ""), str
    )
    other = _ARITHMETIC.get(type(node.op))
    if other is not None and not is_text:
        yield f"{type(node.op).__name__} -> {other.__name__}", other(), ("op",)


def _of_boolean(node: ast.BoolOp) -> _Found:
    other = ast.Or if isinstance(node.op, ast.And) else ast.And
    yield f"{type(node.op).__name__} -> {other.__name__}", other(), ("op",)


def _of_unary(node: ast.UnaryOp) -> _Found:
    # The operator is replaced by one that does nothing, so that the place stays valid.
    if isinstance(node.op, ast.USub):
        yield "minus dropped", ast.UAdd(), ("op",)
    if isinstance(node.op, ast.Invert):
        yield "inversion dropped", ast.UAdd(), ("op",)


def _of_constant(node: ast.Constant) -> _Found:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} -> {not value}", _with(node, value=not value), ()
    elif isinstance(value, int):
        yield f"{value} -> {value + 1}", _with(node, value=value + 1), ()
    elif isinstance(value, float):
        other = 2 * value if value else 1.0
        yield f"{value:g} -> {other:g}", _with(node, value=other), ()


def _of_condition(node: ast.If | ast.IfExp | ast.While) -> _Found:
    if not isinstance(node.test, ast.Compare | ast.BoolOp):
        yield "condition negated", ast.UnaryOp(op=ast.Not(), operand=node.test), ("test",)


def _of_call(node: ast.Call) -> _Found:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    name = node.func.id if isinstance(node.func, ast.Name) else name
    if name in _OPPOSITES:
        field = "attr" if isinstance(node.func, ast.Attribute) else "id"
        other = _with(node.func, **{field: _OPPOSITES[name]})
        yield f"{name} -> {_OPPOSITES[name]}", other, ("func",)
    for index, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            yield f"{keyword.arg}= dropped", None, ("keywords", index)


def _of_return(node: ast.Return) -> _Found:
    if node.value is not None and not isinstance(node.value, ast.Constant):
        yield "returns None", ast.Constant(value=None), ("value",)


def _of_statement(node: ast.Expr) -> _Found:
    if isinstance(node.value, ast.Call):
        yield "call dropped", ast.Constant(value=None), ("value",)


def _of_jump(node: ast.Break | ast.Continue) -> _Found:
    other = ast.Continue() if isinstance(node, ast.Break) else ast.Break()
    yield f"{type(node).__name__} -> {type(other).__name__}", other, ()


_RULES = {
    ast.Compare: _of_compare,
    (ast.BinOp, ast.AugAssign): _of_binary,
    ast.BoolOp: _of_boolean,
    ast.UnaryOp: _of_unary,
    ast.Constant: _of_constant,
    (ast.If, ast.IfExp, ast.While): _of_condition,
    ast.Call: _of_call,
    ast.Return: _of_return,
    ast.Expr: _of_statement,
    (ast.Break, ast.Continue): _of_jump,
}
