"""The query language: from what is typed to a tree of terms and filters.

Adjacent parts must all match; ``OR`` binds weaker than ``AND``, and ``-`` or ``NOT`` takes the
one part behind it. Operators are written in capitals. Whatever can be understood is: an open
quote or parenthesis ends with the text, an operator without its operand and words without a
letter are passed over, and a prefix that names no field is a word.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final, Literal, TypeAlias, cast

import regex  # type: ignore[import-untyped]
from lark import Lark, Token, Transformer, v_args
from lark.lark import PostLex

from cache.errors import PaperskyError
from cache.links import CODE_KINDS
from components.words import FUNCTION_WORDS, fold, has_words

Field: TypeAlias = Literal["title", "abstract", "authors", "keywords", "venue", "topic"]
PUBLISHED: Final[tuple[Field, ...]] = ("title", "abstract", "authors", "keywords", "venue")
"""The fields that are searched unless one is named: what a paper was published with."""

FIELDS: Final[tuple[Field, ...]] = (*PUBLISHED, "topic")

MAX_LENGTH: Final = 5_000
"""The longest query, in characters: longer than any abstract."""
MAX_DEPTH: Final = 50
"""How deep parentheses may be nested."""
NEAR_DISTANCE: Final = 10
"""How many words may lie between the operands of a ``NEAR`` that gives no number: the default of
SQLite's FTS5, https://www.sqlite.org/fts5.html#fts5_near_queries"""

PROSE_WORDS: Final = 30
"""From so many words on, what is typed may be taken for prose: longer than nearly every title,
shorter than nearly every abstract."""

HELP: Final = """\
`graph transformer` both words, in any form (transformers, transformed)
`"graph transformer"` exactly this · `transf*` any word that begins so
`graph OR tree` · `graph -tree` · `(graph OR tree) NOT image` · `graph NEAR/5 tree` close together
`title:` `author:` `abstract:` `keyword:` `venue:` `topic:` in this field only
`year:2024` · `year:2023..2025` · `has:code` · `code:repository`
`/colou?r/` a regular expression"""


class QueryError(PaperskyError):
    """A query that means nothing, and where it goes wrong.

    Attributes
    ----------
    start, end : int
        The slice of the query that is at fault.
    """

    def __init__(self, message: str, start: int, end: int, hint: str = "") -> None:
        super().__init__(message, hint)
        self.start = start
        self.end = end


def _place() -> Any:
    return field(default=0, compare=False)


@dataclass(frozen=True)
class Words:
    """One word, or several that follow each other.

    Attributes
    ----------
    words : str
        Folded (see `components.words.fold`), parted by one space.
    exact : bool
        Whether other forms of the words do not count.
    prefix : bool
        Whether the last word may go on.
    field : str or None
        The only field to search in; None for all of `PUBLISHED`.
    start, end : int
        The slice of the query that it was written in; so in every kind of node.
    """

    words: str
    exact: bool = False
    prefix: bool = False
    field: Field | None = None
    start: int = _place()
    end: int = _place()


@dataclass(frozen=True)
class Near:
    """Words with at most `distance` other words between them, in any order.

    If one of them is exact or a prefix, other forms count for none.
    """

    parts: tuple[Words, ...]
    distance: int
    field: Field | None = None
    start: int = _place()
    end: int = _place()


@dataclass(frozen=True)
class Regex:
    """A regular expression, matched against the text as written but for its case."""

    pattern: str
    field: Field | None = None
    start: int = _place()
    end: int = _place()


@dataclass(frozen=True)
class Years:
    """A range of years, both included; None is open."""

    first: int | None
    last: int | None
    start: int = _place()
    end: int = _place()


@dataclass(frozen=True)
class Code:
    """The paper's code is of one of these kinds (`cache.links.CODE_KINDS`)."""

    kinds: tuple[str, ...]
    start: int = _place()
    end: int = _place()


@dataclass(frozen=True)
class And:
    """All of the nodes match."""

    nodes: tuple["Node", ...]


@dataclass(frozen=True)
class Or:
    """One of the nodes matches."""

    nodes: tuple["Node", ...]


@dataclass(frozen=True)
class Not:
    """The node does not match."""

    node: "Node"


Term: TypeAlias = Words | Near | Regex
Node: TypeAlias = Term | Years | Code | And | Or | Not


@dataclass(frozen=True)
class Query:
    """What is sought.

    Attributes
    ----------
    text : str
        As typed.
    root : Node or None
        None if nothing is asked, which every paper fulfils.
    terms : tuple of Term
        What a paper is found by, each once, in the order of writing: no filters, nothing negated.
        A term's place here is what `components.highlight.Match.term` and `Hits` number it by.
    """

    text: str
    root: Node | None
    terms: tuple[Term, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Each term as it was typed."""
        return tuple(self.text[term.start : term.end] for term in self.terms)


def parse_query(text: str) -> Query:
    """Understand a query.

    Raises
    ------
    QueryError
        If a value of ``year:``, ``has:`` or ``code:`` is unknown, a regular expression is not one,
        ``NEAR`` joins anything but words, a closing parenthesis could belong to several places,
        or the text is longer than `MAX_LENGTH` or nested deeper than `MAX_DEPTH`.
    """
    if len(text) > MAX_LENGTH:
        raise QueryError(
            f"The query has {len(text):,} characters; at most {MAX_LENGTH:,} are read.",
            MAX_LENGTH,
            len(text),
            "Keep the words that matter most.",
        )
    root = cast("Node | None", _parser().parse(text))
    return _query(text, root)


def relaxed(query: Query) -> Query:
    """Ask for any of the words where `query` asks for all of them; filters and the rest stand.

    For a pasted title or sentence that no paper fulfils word by word: ranked by
    `components.search.SearchIndex.search`, the papers with most of its words come first. Words such
    as “the” are passed over. Returns `query` itself if there is nothing to relax.
    """
    if not isinstance(query.root, And):
        return query
    loose = tuple(node for node in query.root.nodes if isinstance(node, Words))
    if len(loose) < 2:
        return query
    loose = tuple(node for node in loose if node.words not in FUNCTION_WORDS) or loose
    strict = tuple(node for node in query.root.nodes if not isinstance(node, Words))
    return _query(query.text, _joined(And, (_joined(Or, loose), *strict)))


def is_prose(text: str) -> bool:
    """Tell whether a text is rather a pasted abstract than a query."""
    return len(text.split()) >= PROSE_WORDS


def parse_prose(text: str) -> Query:
    """Ask for any of the telling words of an abstract, in which there are no operators.

    Its quotes, dashes and brackets are punctuation. Only filters by year and code are understood,
    where they are known.
    """
    words: dict[str, Words] = {}
    filters: list[Node] = []
    for token in regex.finditer(r"[^\s()\"“”„«»]+", text):
        found = _filter_of(token[0])
        folded = " ".join(fold(token[0]).split())
        if found is not None:
            filters.append(replace(found, start=token.start(), end=token.end()))
        elif has_words(token[0]) and folded not in FUNCTION_WORDS:
            words.setdefault(folded, Words(folded, start=token.start(), end=token.end()))
    parts = (_joined(Or, words.values()), *filters) if words else tuple(filters)
    return _query(text, _joined(And, parts) if parts else None)


def _filter_of(token: str) -> Years | Code | None:
    if not regex.match(r"(year|has|code):", token, regex.IGNORECASE):
        return None
    try:
        node = parse_query(token).root
    except QueryError:
        return None
    return node if isinstance(node, Years | Code) else None


def restrictions(query: Query) -> Query:
    """Ask only for what stands whatever the words mean, so that meaning may find the rest.

    Plain words are dropped: a paper may say the same in others. Phrases, fields, prefixes,
    regular expressions, years, code, and all that is excluded stay, and so does a choice between
    any of these.
    """
    return _query(query.text, _without_plain_words(query.root))


def meant(query: Query) -> str:
    """Return the words whose meaning is sought: one line, ``""`` if there are none.

    What is excluded, sought in one field or only begun (``prefix*``) says nothing of the meaning.
    """
    text = query.text
    for node in _meaningless(query.root):
        text = text[: node.start] + " " * (node.end - node.start) + text[node.end :]
    words = text.translate(_TO_SPACES).split()
    return " ".join(word for word in words if has_words(word) and not _OPERATOR.fullmatch(word))


_TO_SPACES: Final = dict.fromkeys(map(ord, '()"“”„«»'), " ")
_OPERATOR: Final = regex.compile(
    rf"AND|OR|NOT|NEAR(/\d+)?|(?i:{'|'.join(f.rstrip('s') for f in FIELDS)})s?:"
)


def _meaningless(node: Node | None, *, negated: bool = False) -> Iterator[Term | Years | Code]:
    if isinstance(node, And | Or):
        for part in node.nodes:
            yield from _meaningless(part, negated=negated)
    elif isinstance(node, Not):
        yield from _meaningless(node.node, negated=True)
    elif isinstance(node, Words | Near):
        parts = node.parts if isinstance(node, Near) else (node,)
        prefixed = any(part.prefix for part in parts)
        if negated or node.field or prefixed:
            yield node
    elif node is not None:
        yield node


def _without_plain_words(node: Node | None) -> Node | None:
    if isinstance(node, And):
        kept = [part for part in map(_without_plain_words, node.nodes) if part is not None]
        return _joined(And, kept) if kept else None
    if isinstance(node, Or):
        return node if any(map(_without_plain_words, node.nodes)) else None
    if isinstance(node, Words) and not (node.exact or node.field):
        return None
    return node


def _query(text: str, root: Node | None) -> Query:
    return Query(text, root, tuple(dict.fromkeys(terms_of(root))))


def terms_of(node: Node | None, *, negated: bool = False) -> Iterator[Term]:
    """Yield the terms of a tree as written, those under a `Not` only if asked for."""
    if isinstance(node, Words | Near | Regex):
        yield node
    elif isinstance(node, And | Or):
        for part in node.nodes:
            yield from terms_of(part, negated=negated)
    elif isinstance(node, Not) and negated:
        yield from terms_of(node.node, negated=True)


_OPERANDS: Final = {"WORD", "PHRASE", "PREFIX", "REGEX", "YEAR", "CODE"}
_BINARY: Final = {"_AND", "_OR", "NEAR"}
_COMPLETE: Final = _OPERANDS | {"_LEFT", "_RIGHT"}
_BEGINNERS: Final = _OPERANDS | {"_LEFT", "NOT", "FIELD"}


class _Repair(PostLex):
    """Make a sentence of the grammar of any tokens: see the module's first lines."""

    always_accept = ()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        tokens = _balanced([token for token in stream if not _is_empty(token)])
        return reversed(_without_leading(_without_dangling(tokens)))


def _is_empty(token: Token) -> bool:
    return token.type in {"WORD", "PHRASE", "PREFIX"} and not has_words(token)


def _balanced(tokens: list[Token]) -> list[Token]:
    depth = 0
    balanced = []
    for token in tokens:
        depth += {"_LEFT": 1, "_RIGHT": -1}.get(token.type, 0)
        if depth > MAX_DEPTH:
            raise _error("There are more than {} parentheses open here.", token, str(MAX_DEPTH))
        if depth >= 0:
            balanced.append(token)
        elif any(other.type == "_OR" for other in tokens):
            raise _error(
                "This parenthesis closes none.", token, hint="Put “(” where it should begin."
            )
        else:
            depth = 0
    return balanced + [Token("_RIGHT", ")")] * depth


def _without_dangling(tokens: list[Token]) -> list[Token]:
    """Drop what lacks something behind it; returns the tokens from last to first."""
    kept: list[Token] = []
    for token in reversed(tokens):
        following = kept[-1].type if kept else ""
        if token.type == "_LEFT" and following == "_RIGHT":
            kept.pop()
        elif token.type in _COMPLETE or following in _BEGINNERS:
            kept.append(token)
    return kept


def _without_leading(backwards: list[Token]) -> list[Token]:
    """Drop the operators that lack something before them."""
    return [
        token
        for token, before in zip_longest(backwards, backwards[1:])
        if token.type not in _BINARY or (before is not None and before.type != "_LEFT")
    ]


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return Lark.open(
        "query.lark",
        rel_to=__file__,
        parser="lalr",
        lexer="basic",
        postlex=_Repair(),
        transformer=_TreeBuilder(),
    )


@v_args(inline=True)
class _TreeBuilder(Transformer[Token, Node]):
    def any_of(self, *nodes: Node) -> Node:
        return _joined(Or, nodes)

    def all_of(self, *nodes: Node) -> Node:
        return _joined(And, nodes)

    def negation(self, _sign: Token, node: Node) -> Node:
        return node.node if isinstance(node, Not) else Not(node)

    def near(self, *parts: Node | Token) -> Node:
        return _near(parts)

    def in_field(self, token: Token, node: Node) -> Node:
        name = token[:-1].lower().rstrip("s")
        chosen = next(known for known in FIELDS if known.rstrip("s") == name)
        node = _in_field(node, chosen)
        if isinstance(node, Words | Regex):
            return replace(node, start=_start(token))
        return node

    def word(self, token: Token) -> Node:
        return Words(_words(token), start=_start(token), end=_end(token))

    def phrase(self, token: Token) -> Node:
        return Words(_words(token), exact=True, start=_start(token), end=_end(token))

    def prefix(self, token: Token) -> Node:
        return Words(_words(token), exact=True, prefix=True, start=_start(token), end=_end(token))

    def regex(self, token: Token) -> Node:
        try:
            compiled(token[1:-1])
        except regex.error as problem:
            raise _error(
                "{} is not a regular expression: {}.",
                token,
                token,
                str(problem).partition(" at position")[0],
                hint="Put a backslash before signs that stand for themselves.",
            ) from problem
        return Regex(token[1:-1], start=_start(token), end=_end(token))

    def year(self, token: Token) -> Node:
        found = regex.fullmatch(
            r"year:\s*(?:(\d{1,4})|(\d{1,4})?(?:\.\.+|…|[-–])(\d{1,4})?)", token, regex.IGNORECASE
        )
        if not found or not any(found.groups()):
            raise _error(
                "“{}” is neither a year nor a range of years.",
                token,
                token,
                hint="Write year:2024, year:2023..2025, year:2023.. or year:..2025.",
            )
        first, last = (int(year) if year else None for year in (found[1] or found[2], found[3]))
        if found[1]:
            last = first
        if first is not None and last is not None:
            first, last = sorted((first, last))
        return Years(first, last, start=_start(token), end=_end(token))

    def code(self, token: Token) -> Node:
        name, _, value = token.lower().partition(":")
        value = value.strip('"')
        if name == "has":
            known = {"code": tuple(kind for kind in CODE_KINDS if kind != "none")}
        else:
            known = {kind: (kind,) for kind in CODE_KINDS}
        meant = [kinds for word, kinds in known.items() if value and word.startswith(value)]
        if len(meant) != 1:
            raise _error(
                "“{}” is not known.",
                token,
                token,
                hint=f"After “{name}:” comes {' or '.join(known)}.",
            )
        return Code(meant[0], start=_start(token), end=_end(token))


@lru_cache(maxsize=128)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """Compile the pattern of a `Regex`; raises regex.error if it is none."""
    return regex.compile(pattern, regex.IGNORECASE)


def _joined(kind: type[And] | type[Or], nodes: Iterable[Node]) -> Node:
    flat = tuple(
        part for node in nodes for part in (node.nodes if isinstance(node, kind) else (node,))
    )
    return flat[0] if len(flat) == 1 else kind(flat)


def _near(parts: tuple[Node | Token, ...]) -> Node:
    signs = [part for part in parts if isinstance(part, Token)]
    words = [part for part in parts if isinstance(part, Words)]
    fields = {part.field for part in words if part.field}
    if len(words) != len(signs) + 1 or len(fields) > 1:
        raise _error(
            "NEAR joins words or “phrases” of one field, and nothing else.",
            signs[0],
            hint="Join the rest with AND.",
        )
    distances = [int(sign[len("NEAR/") :]) for sign in signs if "/" in sign]
    return Near(
        tuple(words),
        min(distances, default=NEAR_DISTANCE),
        next(iter(fields), None),
        words[0].start,
        words[-1].end,
    )


def _in_field(node: Node, chosen: Field) -> Node:
    """Restrict every term of `node` that is not yet restricted.

    Names are searched as they are written: that of a person has no other forms.
    """
    if isinstance(node, And | Or):
        return replace(node, nodes=tuple(_in_field(part, chosen) for part in node.nodes))
    if isinstance(node, Not):
        return Not(_in_field(node.node, chosen))
    if isinstance(node, Years | Code) or node.field:
        return node
    if isinstance(node, Words):
        return replace(node, field=chosen, exact=node.exact or chosen == "authors")
    return replace(node, field=chosen)


def _words(token: Token) -> str:
    return " ".join(fold(token).split())


def _start(token: Token) -> int:
    return token.start_pos or 0


def _end(token: Token) -> int:
    return token.end_pos or 0


def _error(sentence: str, token: Token, *values: str, hint: str = "") -> QueryError:
    return QueryError(sentence.format(*values), _start(token), _end(token), hint)
