"""Evaluates expressions of Terraform, from the trees that python-hcl2 parses. What it does not know, it refuses."""

import json
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lark import Token, Tree

from tests.infra.not_understood import NotUnderstood
from tests.infra.terraform_functions import call
from tests.infra.terraform_values import Names, Set, Unknown, Value, as_text

type Node = Tree[Token]

_COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def parts(node: Node) -> list[Node]:
    """What a node consists of, without punctuation and comments."""
    return [child for child in node.children if isinstance(child, Tree) and child.data != "new_line_or_comment"]


def word(node: Node) -> str:
    """The one word that a node is."""
    (token,) = node.children
    return str(token)


def _is_a(node: Node, kind: str) -> bool:
    return node.data == kind


@dataclass(frozen=True)
class Scope:
    """What names stand for: those of `for` and `each` first, then those of the module."""

    module: Names
    inner: Mapping[str, Value] = field(default_factory=dict)

    def within(self, **names: Value) -> "Scope":
        """This scope and some more names."""
        return Scope(self.module, {**self.inner, **names})

    def value(self, node: Node) -> Value:
        """The value of an expression."""
        below = parts(node)
        match str(node.data):
            case "expr_term":
                return self.value(below[0])
            case "identifier":
                name = word(node)
                return self.inner[name] if name in self.inner else self.module.get(name)
            case "literal_value":
                return {"true": True, "false": False, "null": None}[word(node)]
            case "int_lit":
                return int(word(node))
            case "string":
                return self._text(below)
            case "tuple":
                return [self.value(each) for each in below]
            case "object":
                return dict(self._pair(each) for each in below)
            case "conditional":
                wanted, then, otherwise = below
                return self.value(then if self._truth(wanted) else otherwise)
            case "binary_op":
                return self._binary(below[0], *parts(below[1]))
            case "unary_op":
                return self._unary(str(node.children[0]), below[0])
            case "function_call":
                return self._call(node, below)
            case "index_expr_term":
                return self._at(self.value(below[0]), self._index(below[1]))
            case "get_attr_expr_term":
                return self._at(self.value(below[0]), word(parts(below[1])[0]))
            case "for_tuple_expr":
                return [scope.value(below[1]) for scope in self._each(below)]
            case "for_object_expr":
                return self._for_object(node, below)
        raise NotUnderstood(f"{node.data}, line {node.meta.line}")

    def _text(self, pieces: list[Node]) -> str:
        texts = []
        for piece in pieces:
            (child,) = piece.children
            if isinstance(child, Token):
                if child.type != "STRING_CHARS":
                    raise NotUnderstood(f"{child} inside a text")
                texts.append(json.loads(f'"{child}"'))
            elif _is_a(child, "interpolation"):
                value = self.value(parts(child)[0])
                if len(pieces) == 1 and isinstance(value, Unknown):
                    return value
                texts.append(as_text(value))
            else:
                raise NotUnderstood(f"{child.data} inside a text")
        return "".join(texts)

    def _pair(self, element: Node) -> tuple[str, Value]:
        key, value = parts(element)
        (name,) = parts(key)
        bare = parts(name)[0] if _is_a(name, "expr_term") and len(name.children) == 1 else name
        return (word(bare) if bare.data in ("identifier", "keyword") else self._key(name)), self.value(value)

    def _key(self, node: Node) -> str:
        key = self.value(node)
        if not isinstance(key, str) or isinstance(key, Unknown):
            raise NotUnderstood(f"{key!r} as a key")
        return key

    def _truth(self, node: Node) -> bool:
        value = self.value(node)
        if not isinstance(value, bool):
            raise NotUnderstood(f"{value!r} as a condition, line {node.meta.line}")
        return value

    def _binary(self, left: Node, operator: Node, right: Node) -> Value:
        match word(operator):
            case "&&" | "||" as sign:  # both sides are looked at, as by Terraform
                truths = (self._truth(left), self._truth(right))
                return all(truths) if sign == "&&" else any(truths)
            case "==":
                return self._same(self.value(left), self.value(right))
            case "!=":
                return not self._same(self.value(left), self.value(right))
            case sign:
                numbers = self.value(left), self.value(right)
                are_numbers = all(isinstance(each, int) and not isinstance(each, bool) for each in numbers)
                if not are_numbers or sign not in _COMPARED:
                    raise NotUnderstood(f"{numbers[0]!r} {sign} {numbers[1]!r}")
                return _COMPARED[sign](*numbers)

    @staticmethod
    def _same(left: Value, right: Value) -> bool:
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            raise NotUnderstood(f"whether {left!r} is {right!r}")
        return type(left) is type(right) and bool(left == right)

    def _unary(self, sign: str, operand: Node) -> Value:
        if sign == "!":
            return not self._truth(operand)
        raise NotUnderstood(f"{sign} before a value")

    def _call(self, node: Node, below: list[Node]) -> Value:
        name = word(below[0])
        (given,) = below[1:] or [Tree[Token]("arguments", [])]
        _refuse_ellipsis(given)
        if name == "can":
            try:
                self.value(parts(given)[0])
            except (ValueError, LookupError):
                return False
            return True
        return call(name, [self.value(each) for each in parts(given)])

    def _index(self, node: Node) -> Value:
        if _is_a(node, "braces_index"):
            return self.value(parts(node)[0])
        raise NotUnderstood(f"{node.data}, line {node.meta.line}")

    @staticmethod
    def _at(value: Value, key: Value) -> Value:
        if isinstance(value, Names):
            return value.get(key)
        if isinstance(value, Unknown):
            return Unknown.at(f"{value.path}.{key}" if isinstance(key, str) else f"{value.path}[{key}]")
        if isinstance(value, dict | list):
            return value[key]
        raise NotUnderstood(f"{key!r} of {value!r}")

    def _each(self, below: list[Node]) -> Iterator["Scope"]:
        """A scope for each turn of a `for` whose condition holds."""
        intro, conditions = below[0], [each for each in below if _is_a(each, "for_cond")]
        *names, over = parts(intro)
        for key, value in entries(self.value(over)):
            turn = (key, value)[-len(names) :]
            scope = self.within(**dict(zip(map(word, names), turn, strict=True)))
            if all(scope._truth(parts(each)[0]) for each in conditions):
                yield scope

    def _for_object(self, node: Node, below: list[Node]) -> dict[str, Value]:
        _refuse_ellipsis(node)
        made: dict[str, Value] = {}
        for scope in self._each(below):
            key = scope._key(below[1])
            if key in made:
                raise ValueError(f"two values for the key {key}")
            made[key] = scope.value(below[2])
        return made


def entries(value: Value) -> list[tuple[Value, Value]]:
    """What `for`, for_each and a dynamic block go through, in their order: of a map by its keys."""
    match value:
        case dict():
            return sorted(value.items())
        case Set():
            return [(each, each) for each in value]
        case list():
            return list(enumerate(value))
    raise NotUnderstood(f"{value!r} has no parts to go through")


def _refuse_ellipsis(node: Node) -> None:
    if any(isinstance(each, Token) and each.type == "ELLIPSIS" for each in node.children):
        raise NotUnderstood(f"... in {node.data}")
