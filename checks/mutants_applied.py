"""Put a mutant into the running process: other code, other defaults or another constant.

In: a `Mutant` and the loaded functions of its name. Out: nothing; the process has changed, which is
why every mutant gets a fork of its own.
"""

import ast
import gc
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from checks.mutants_kept import SOURCE, source_of
from checks.mutations import Mutant, mutated

Functions = dict[tuple[str, str], list[FunctionType]]


def functions_by_scope() -> Functions:
    """Return the loaded functions of the package by module and qualified name."""
    found: Functions = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(str(SOURCE)):
            path = Path(each.__code__.co_filename).relative_to(SOURCE).with_suffix("")
            found[str(path), each.__code__.co_qualname].append(each)
    return found


def apply(mutant: Mutant, functions: Functions) -> None:
    """Put a mutant into this process: other code, other defaults or another constant."""
    module = sys.modules[f"howgood.{mutant.module.replace('/', '.')}"]
    tree = mutated(source_of(mutant.module), mutant)
    found = functions.get((mutant.module, mutant.scope), [])
    if not found:
        _set_constant(module, mutant.scope, tree)
        _renew_defaults(mutant, functions, tree, module)
        return
    path = str(SOURCE / f"{mutant.module}.py")
    code = next(c for c in _codes(compile(tree, path, "exec")) if c.co_qualname == mutant.scope)
    for function in found:
        function.__code__ = code
        if "args" in mutant.place[:5]:
            _set_defaults(function, _node(tree, mutant.scope), module)


def _renew_defaults(
    mutant: Mutant, functions: Functions, tree: ast.Module, module: ModuleType
) -> None:
    """Evaluate defaults of the module's functions anew that are the constant."""
    for (name, scope), found in functions.items():
        if name != mutant.module or "<" in scope:  # nested functions take theirs as they run
            continue
        node = _node(tree, scope)
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        if any(isinstance(each, ast.Name) and each.id == mutant.scope for each in defaults):
            for function in found:
                _set_defaults(function, node, module)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _node(tree: ast.Module, scope: str) -> ast.FunctionDef:
    body: list[ast.stmt] = tree.body
    for name in scope.split("."):
        found = next(
            node
            for node in body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
        )
        body = found.body
    return found  # type: ignore[return-value]  # the last name of a scope is a function's


def _value(node: ast.expr, module: ModuleType) -> object:
    return eval(compile(ast.Expression(node), "<mutant>", "eval"), vars(module))  # noqa: S307 - our source


def _set_defaults(function: FunctionType, node: ast.FunctionDef, module: ModuleType) -> None:
    if node.args.defaults:
        function.__defaults__ = tuple(_value(default, module) for default in node.args.defaults)
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    chosen = {arg.arg: _value(default, module) for arg, default in named if default is not None}
    if chosen:
        function.__kwdefaults__ = chosen


def _set_constant(module: ModuleType, name: str, tree: ast.Module) -> None:
    """Evaluate a constant anew and hand it to every module that imported the old one."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == name:
            # Only assignments with a value come here, which the type of a statement does not say.
            old, new = vars(module)[name], _value(node.value, module)  # type: ignore[attr-defined]
    for other in list(sys.modules.values()):
        if getattr(other, "__dict__", {}).get(name) is old:
            setattr(other, name, new)
