"""Mutants of a module, made from its syntax tree. Nobody picks them: whatever has the shape of a
filter operand, a lock, an order, a guard, a count check or an entry of the transition table is
dropped or turned round, one at a time.
"""

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.mutation.mutant import Mutant, numbered

#: Calls whose operands narrow down which rows are read or written.
FILTERS = {"filter", "exclude", "Q"}
#: Calls whose keywords say what is written, or where a transition leads.
WRITES = {"update", "apply", "_apply", "Transition", "Ending"}

TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
#: The same comparison, but for the value at its edge.
EDGES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}

LEAVING = (ast.Raise, ast.Return, ast.Continue, ast.Break)

#: Changes a node, or gives what stands in its place; the statement `pass` for nothing.
type Change = Callable[[ast.AST], ast.AST]


class Edit(NamedTuple):
    """A change to the node with this index in the order of `ast.walk`."""

    node: int
    line: int
    words: str
    change: Change


def mutants_of(path: str, text: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    tree = ast.parse(text)
    places = _places(tree)
    lines = text.splitlines()
    made = []
    for edit in sorted(_edits(tree), key=lambda edit: (edit.line, edit.node)):
        changed = _with_edit(text, edit)
        if ast.dump(ast.parse(changed)) == ast.dump(tree):
            continue
        source, (place, within) = lines[edit.line - 1].strip(), places[edit.node]
        made.append(Mutant(path, edit.line, source, place, edit.words, changed, within=within))
    return numbered(made)


def _with_edit(text: str, edit: Edit) -> str:
    tree = ast.parse(text)
    target = list(ast.walk(tree))[edit.node]
    changed = _Replacing(target, edit.change(target)).visit(tree)
    return ast.unparse(ast.fix_missing_locations(changed))


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        replaced: ast.AST = self.new if node is self.old else self.generic_visit(node)
        return replaced


def _places(tree: ast.Module) -> dict[int, tuple[str, bool]]:
    """The function or assignment around each node, and whether it is a function, by its index."""
    names: dict[ast.AST, tuple[str, bool]] = {tree: ("module", False)}
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            outer, within = names[node]
            inner = outer
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = child.name if outer == "module" else f"{outer}.{child.name}"
            elif outer == "module" and isinstance(child, ast.Assign | ast.AnnAssign):
                first = child.targets[0] if isinstance(child, ast.Assign) else child.target
                inner = ast.unparse(first)
            names[child] = (inner, within or isinstance(node, ast.FunctionDef))
    return {index: names[node] for index, node in enumerate(ast.walk(tree))}


def _edits(tree: ast.Module) -> Iterator[Edit]:
    indexes = {node: index for index, node in enumerate(ast.walk(tree))}
    for node in _code(tree):
        for words, change in _changes(node):
            line = node.target.lineno if isinstance(node, ast.comprehension) else node.lineno  # type: ignore[attr-defined]
            yield Edit(indexes[node], line, words, change)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What is executed: no annotations, no type aliases, nothing for the type checker only."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_params", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_for_checkers(child):
                yield from _code(child)


def _is_for_checkers(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.TypeAlias | ast.Import | ast.ImportFrom)


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _of_compare(node)
    elif isinstance(node, ast.BoolOp):
        for position, value in enumerate(node.values):
            yield f"drop `{_short(value)}`", _without("values", position)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield f"turn `{_short(node)}`", lambda old: old.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.BinOp):
        yield from _of_operator(node)
    elif isinstance(node, ast.IfExp):
        yield f"always `{_short(node.body)}`", lambda old: old.body  # type: ignore[attr-defined]
        yield f"always `{_short(node.orelse)}`", lambda old: old.orelse  # type: ignore[attr-defined]
    elif isinstance(node, ast.comprehension):
        for position, test in enumerate(node.ifs):
            yield f"drop `if {_short(test)}`", _without("ifs", position)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        yield f"drop `[{_short(node.slice)}]`", lambda old: old.value  # type: ignore[attr-defined]
    else:
        yield from _of_statement(node)


def _of_call(node: ast.Call) -> Iterator[tuple[str, Change]]:
    name = _name(node)
    if name == "select_for_update":
        yield "drop the lock", _receiver
        yield from _keywords(node)
    elif name == "order_by":
        yield f"drop the order `{_arguments(node)}`", _receiver
        if len(node.args) > 1:
            yield from _positionals(node)
    elif name in FILTERS:
        if name != "Q" or len(node.keywords) > 1:
            yield from _keywords(node)
        yield from _positionals(node)
    elif name in WRITES:
        yield from _keywords(node)
        for position, argument in enumerate(node.args):
            if isinstance(argument, ast.Tuple) and len(argument.elts) > 1:
                yield from _entries(argument, f"args.{position}")


def _keywords(node: ast.Call) -> Iterator[tuple[str, Change]]:
    for position, keyword in enumerate(node.keywords):
        yield f"drop `{_short(keyword)}` of {_name(node)}", _without("keywords", position)


def _positionals(node: ast.Call) -> Iterator[tuple[str, Change]]:
    for position, argument in enumerate(node.args):
        yield f"drop `{_short(argument)}` of {_name(node)}", _without("args", position)


def _entries(node: ast.Tuple, where: str) -> Iterator[tuple[str, Change]]:
    """Drop each entry of a tuple that is found from the changed node by `where`."""
    for position, entry in enumerate(node.elts):
        yield f"drop the entry `{_short(entry)}`", _without(f"{where}.elts", position)


def _of_compare(node: ast.Compare) -> Iterator[tuple[str, Change]]:
    (operator,) = node.ops
    yield f"turn `{_short(node)}`", _with_operator(TURNED[type(operator)])
    if type(operator) in EDGES:
        yield f"move the edge of `{_short(node)}`", _with_operator(EDGES[type(operator)])


def _with_operator(kind: type[ast.cmpop]) -> Change:
    def change(node: ast.AST) -> ast.AST:
        node.ops = [kind()]  # type: ignore[attr-defined]
        return node

    return change


def _of_operator(node: ast.BinOp) -> Iterator[tuple[str, Change]]:
    if isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Add | ast.Sub):
        yield f"drop `{_short(node.right)}`", lambda old: old.left  # type: ignore[attr-defined]
        yield f"drop `{_short(node.left)}`", lambda old: old.right  # type: ignore[attr-defined]


def _of_statement(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.If):
        if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield f"turn `if {_short(node.test)}`", _negate
        if not node.orelse and isinstance(node.body[-1], LEAVING):
            yield f"drop the guard `if {_short(node.test)}`", _nothing
    elif isinstance(node, ast.With):
        for position, item in enumerate(node.items):
            if _short(item) == "transaction.atomic()":
                yield "drop the transaction", _without_item(position)
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield f"drop `{_short(node)}`", _nothing
    elif isinstance(node, ast.Assign):
        if isinstance(node.targets[0], ast.Subscript | ast.Attribute):
            yield f"drop `{_short(node)}`", _nothing
        elif isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
            yield from _entries(node.value, "value")
    elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Tuple):
        yield from _entries(node.value, "value")
    elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple):
        yield from _entries(node.iter, "iter")


def _without(where: str, position: int) -> Change:
    """Take one member out of the list at `where`, a path of fields and positions."""

    def change(node: ast.AST) -> ast.AST:
        holder: object = node
        for step in where.split("."):
            holder = holder[int(step)] if step.isdigit() else getattr(holder, step)  # type: ignore[index]
        del holder[position]  # type: ignore[attr-defined]
        return node

    return change


def _without_item(position: int) -> Change:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.With)
        if len(node.items) > 1:
            del node.items[position]
            return node
        return ast.If(test=ast.Constant(value=True), body=node.body, orelse=[])

    return change


def _receiver(node: ast.AST) -> ast.AST:
    """`rows.order_by(...)` becomes `rows`."""
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    return node.func.value


def _negate(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.If)
    node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)
    return node


def _nothing(node: ast.AST) -> ast.AST:
    return ast.Pass()


def _name(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _arguments(node: ast.Call) -> str:
    return ", ".join(_short(argument) for argument in node.args)


def _short(node: ast.AST) -> str:
    """The node's source in one line, cut."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
