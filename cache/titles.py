"""A title for an abstract that came without one."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from cache.text import Span, parse

LONGEST_TITLE: Final = 90
"""Characters, with the ellipsis of what was cut."""

_LONGEST_TEXT: Final = 10_000
_LONGEST_PHRASE: Final = 400
"""Characters. Abstracts and sentences end before; what does not is no abstract."""

# --- How papers announce what they are about -----------------------------------------------------

_SUBJECT: Final = (
    r"(?:we|this (?:paper|work|article|study|research)|the (?:paper|authors)|our work)"
)
_ADVERB: Final = r"(?:\w+ly|also|first|then|further|next|thus|here|instead|hence|ha[sv]e)"
_SPEAKS: Final = re.compile(rf"\b{_SUBJECT}\b", re.IGNORECASE)
_WHOLE: Final = re.compile(
    r"\b(?:this|our|the) (?:paper|work|article|study|research|position paper)\b", re.IGNORECASE
)
"""Says that the sentence speaks of all of the paper."""


def _cue(verbs: str, gerunds: str = "$") -> re.Pattern[str]:
    """Match "we further propose", "..., and propose" and "by proposing", up to the object."""
    return re.compile(
        rf"(?:\b{_SUBJECT}(?:,? {_ADVERB}){{0,3}},? (?:{verbs})(?:e?s|e?d)?"
        rf"|(?:,|,? and)(?: {_ADVERB})? (?P<joined>{verbs})|\bby (?:{gerunds})) ",
        re.IGNORECASE,
    )


_PROPOSE: Final = _cue(
    "propose|present|introduce|develop|devise|design|formulate|put forward",
    "proposing|presenting|introducing|developing",
)
_STUDY: Final = _cue(
    "study|studie|investigate|explore|examine|analyze|analyse|revisit|tackle|address|characterize|"
    "characterise|focus on"
)
_MAKE: Final = _cue(
    "describe|release|contribute|create|arrive at|construct|build|establish|offer|provide|train|"
    "generalize|extend|evaluate|compare|consider"
)
_FIND: Final = _cue("show|prove|demonstrate|find|found|reveal|argue|observe|discover|give|derive")
_ASK: Final = re.compile(
    r"\b(?:to|we) (?:study|understand|investigate|explore|examine|ask|answer) "
    r"(?=how |which |when |why |what |whether )",
    re.IGNORECASE,
)
_CUES: Final = ((_PROPOSE, 3), (_STUDY, 3), (_ASK, 3), (_MAKE, 2), (_FIND, 2))
"""And how well what follows each tells a paper from others."""

# --- How papers name their methods ---------------------------------------------------------------

_WORD: Final = r"[^\s,;:()—]+"
_DISTINCTIVE: Final = re.compile(r"(?=\S*[A-Za-z])(?:\S*[a-z0-9-]\S*[A-Z]|[A-Z]\S*[A-Z0-9])\S*")
"""A word of no dictionary: FlipAttack, CRANE, L1."""

_COMMON: Final = frozenset(
    (
        *("AI", "ML", "RL", "DL", "LLM", "GNN", "CNN", "DNN", "NLP", "VLM", "LM", "GAN", "VAE"),
        *("MDP", "SGD", "3D", "2D", "4D", "RNN", "LSTM", "GPT-4", "CLIP", "PCA", "SVM", "MLP"),
        *("MCMC", "QA", "RLHF", "RAG", "CoT", "NP", "PAC", "GPU", "API", "LoRA", "ImageNet"),
    )
)
"""Of these no paper of today is the inventor, and every reader knows them."""

_CALLED: Final = (
    r"(?:named|called|termed|dubbed|coined|namely|denoted(?: as| by)?|referred to as|i\.e\.|"
    r"(?:which|that) we (?:name|call|term|dub))"
)
_THING: Final = (
    r"(?:method|framework|approach|model|algorithm|system|architecture|technique|mechanism|"
    r"dataset|benchmark|pipeline|strategy|network|solution|agent|tool)"
)
_NAME: Final = rf"(?P<name>{_WORD}(?: {_WORD}){{0,9}}?)(?: \((?P<short>[^()]{{2,80}})\))?"
_WHAT: Final = r"(?P<what>(?:an?|the|our|two|three|several) "
_FOLLOWS: Final = (
    r"(?=[,:;—]|\.(?: |$)|$| (?:that|which|to|for|as|in|on|with|by|against|where|based on|using|is"
    r"|-|–) )"
)
_NAMED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # a simple attack called FlipAttack against LLMs
        rf"{_WHAT}.+?),? {_CALLED},? (?:as |the )?{_NAME}{_FOLLOWS}(?P<more>.*)",
        # ConsFormer, a framework that ...
        rf"(?:the |an? )?{_NAME}(?:(?<=\)),? |[,:] | [-–—]+ |—)(?:which is )?{_WHAT}.+)(?P<more>)",
        # a decoding algorithm, CRANE, which ...
        rf"{_WHAT}[^,]+?)(?:[,:] | [-–—]+ |—){_NAME}{_FOLLOWS}(?P<more>.*)",
        # a framework ProLLM that ...; a framework (CROWN) that ...
        rf"{_WHAT}(?:[^,(]+ )?{_THING}) (?P<open>\()?(?P<name>{_WORD})(?(open)\))(?P<short>)"
        rf"{_FOLLOWS}(?P<more>.*)",
        # Foundation Molecular Grammar (FMG), which ...
        rf"(?:the |an? )?{_NAME}(?: {_THING})?{_FOLLOWS},?(?: which| that)?(?P<what>)(?P<more>.*)",
    )
)
_OWN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # The proposed framework, Contrastive Learning with Simplicial Networks (C-SCN), ...
        rf"\b(?:[Tt]he proposed|[Tt]his|[Oo]ur)(?: \S+)? {_THING}, (?:named |called )?{_NAME},",
        # we call our method MGAN; our approach, dubbed VSE++, ...
        rf"\b[Ww]e (?:call|term|name|dub|refer to) (?:our|this|the|it)(?: [\w-]+){{0,3}}?(?: as)? "
        rf"{_NAME}(?:{_FOLLOWS}|(?= and ))",
        rf"\b[Oo]ur(?: \S+)? {_THING},? (?:{_CALLED} )?{_NAME}(?=[,:;.]? )",
        # our lip-rcp method
        rf"\b[Oo]ur (?:proposed |new |novel )?(?P<name>{_WORD})(?P<short>) {_THING}\b",
    )
)
_NO_NAME: Final = re.compile(
    r"(?:^| )(?:and|or|that|which|to|is|are|we|by|this|these|their|its|several|two|three|new|novel)"
    r"(?= |$)"
)

# --- What a title can do without -----------------------------------------------------------------

_ENUMERATION: Final = re.compile(r"\((?:[ivx]{1,4}|\d|[a-d])\)\s*|\b(?:[ivx]{1,4}|\d)\)\s+")
_SENTENCE_END: Final = re.compile(
    r"(?<!\bet al)(?<!\bi\.e)(?<!\be\.g)(?<!\bvs)(?<!\bcf)(?<!\bFig)(?<!\bw\.r\.t)(?<!\bresp)"
    r"[.!?][\"”')\]]*\s+(?=[^a-z\s])|(?<=[。！？])\s*"
)
_ASIDE: Final = re.compile(
    r"(?:,? (?:that|which) (?:overcome|address|solve|tackle|mitigate)\w*|,? to (?:overcome|address|"
    r"solve|tackle|mitigate)) (?:this|these|such) \w+(?: by)?(?= )"
)
_CLAUSE: Final = re.compile(
    r"[;:]\s|\.$|, (?:which|where|whose|thereby|thus|while|whereas|so|but|yet|such|including|as|"
    r"and (?:we|then|show|prove|demonstrate|establish|evaluate|provide|propose|define)|\w+ing)\b"
    r"| (?:in order to|so that|and (?:then|\w+ly )?(?:show|prove|demonstrate|establish|reveal)) "
    r"| (?:which|that) (?:incorporates?|consists? of|comprises?|has|ha[sv]e) (?:two|three|several) "
)
_FRESH: Final = re.compile(r"^an? (?:unified and |simple and )?(?:novel|new),? (?=(\w))")
_ARTICLE: Final = re.compile(r"^(?:an?|the) (?:(?:novel|new) )?(?=\S)", re.IGNORECASE)
_SHORT_FORM: Final = re.compile(r" \([A-Z][\w-]{1,7}\)")
_ALSO: Final = re.compile(r"^(?:and|or) \w+ ")
_BEGINNING: Final = re.compile(r"^in this (?:paper|work|article|study),? ", re.IGNORECASE)
_BY_DOING: Final = re.compile(r" by (?:\w+ly )?\w+ing ")
_ADDS: Final = re.compile(r"(?:to|for|as|in|on|with|by|against|based on) ")
_GENERIC: Final = re.compile(
    r"(?:an?|the) (?:(?:simple|new|novel|effective|efficient|powerful|general|unified|yet|and) )*"
    + _THING
)
_LOOKS_BACK: Final = re.compile(
    r"(?:.{0,30}\b(?:these|such|them)\b|(?:th(?:is|at|ose|em|eir)|it|its|both|our|to)\b)", re.I
)
_DANGLING: Final = re.compile(
    r"(?:^|[\s,;:–—-]+)(?:(?:an?|the|and|or|but|nor|of|in|on|at|by|for|to|from|with|without|as|"
    r"than|that|which|where|when|while|via|into|over|under|between|through|using|based|such|is|are|"
    r"its|their|our|this|these|can|both|more|most|not|only|against|across|upon|towards?|during|we|"
    r"be|it|if|\w+['’]s)\b|$)[\s,;:–—-]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Candidate:
    """A possible title, and how well it tells the paper from others (more is better)."""

    what: str
    worth: int
    name: str = ""
    short: str = ""

    def title(self) -> str:
        full = f"{self.name} ({self.short})" if self.short else self.name
        if self.short and len(full) > LONGEST_TITLE // 2 and self.what:
            full = self.short
        if not self.name or not self.what:
            return full or self.what
        return f"{full} {self.what}" if _ADDS.match(self.what) else f"{full}: {self.what}"


def derive_title(abstract: str) -> str:
    """Make a title out of what the abstract says.

    Parameters
    ----------
    abstract : str
        As published.

    Returns
    -------
    str
        The method that is named and what it is, else what is proposed, studied or found, else the
        beginning; plain text on one line, at most `LONGEST_TITLE` characters. ``""`` if the
        abstract is empty.
    """
    spans = [span for span in parse(abstract) if span.kind != "link"]
    text = " ".join("".join(span.plain for span in spans).split())[:_LONGEST_TEXT]
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if re.search(r"\w", sentence)]
    names = _Names(spans)
    candidates = [
        *_named(sentences, names),
        *_owned(sentences, names),
        *_unnamed(sentences),
        _Candidate(_BEGINNING.sub("", next(iter(sentences), "")), 0),
    ]
    says_something = [found for found in candidates if re.search(r"\w", found.title())]
    if not says_something:
        return ""
    best = max(says_something, key=lambda candidate: candidate.worth)
    return _fit(_spell_out(best.title(), _abbreviations(text)))


class _Names:
    """Tells names of methods from other words."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._emphasised = {span.text for span in spans if span.bold or span.italic}

    def found(self, match: re.Match[str]) -> bool:
        name, short = match["name"], _short(match)
        if short and self._is_distinctive(short):
            return not _NO_NAME.match(name)
        if _NO_NAME.search(name):
            return False
        return self._is_distinctive(name) and (name[0].isupper() or " " not in name)

    def _is_distinctive(self, phrase: str) -> bool:
        return phrase in self._emphasised or any(
            len(word) < 40
            and _DISTINCTIVE.fullmatch(word)
            and word.removesuffix("s") not in _COMMON
            for word in phrase.split()
        )


def _objects(cue: re.Pattern[str], sentence: str) -> Iterator[str]:
    """Yield what a sentence of the authors proposes, studies or finds."""
    speaks = _SPEAKS.search(sentence)
    if not speaks:
        return
    for found in cue.finditer(sentence):
        if not found.groupdict().get("joined") or found.start() > speaks.start():
            yield _BEGINNING.sub("", sentence[found.end() : found.end() + _LONGEST_PHRASE])


def _named(sentences: list[str], names: _Names) -> Iterator[_Candidate]:
    for place, sentence in enumerate(sentences):
        for cue, worth in ((_PROPOSE, 6), (_MAKE, 5)):
            for thing in _objects(cue, sentence):
                is_part = bool(_ENUMERATION.match(thing))
                if found := _name_in(_ENUMERATION.sub("", thing), names):
                    yield _titled(found, worth - 4 * is_part, sentences[place + 1 : place + 3])


def _name_in(thing: str, names: _Names) -> re.Match[str] | None:
    for pattern in _NAMED:
        found = pattern.match(thing)
        if found and (names.found(found) or _is_defined(found)):
            return found
    return None


def _is_defined(found: re.Match[str]) -> bool:
    """Tell a name although its words are ordinary: "Gaitor", "rotation symmetry, a form of ..."."""
    name, short = found["name"], found["short"]
    if short or _NO_NAME.search(name):
        return False
    if re.fullmatch(r"[A-Z][a-z]{3,}", name):
        return found.re is not _NAMED[2]
    return found.re is _NAMED[1] and len(name.split()) <= 4


def _titled(found: re.Match[str], worth: int, following: list[str]) -> _Candidate:
    what, more = _clause(found["what"]), found["more"]
    if more.startswith((", which", ", that")) and 0 < len(what.split()) < 5:
        more = more[1:]
    if not more.startswith((",", ".", ";", ":", "—")):
        what += _clause(f" {more.strip()}")
    what = _FRESH.sub(_article_before, what.strip())
    if not what or _GENERIC.fullmatch(what):
        what = _what_it_does(_short(found) or found["name"], following) or what
    return _Candidate(what, worth if what else worth - 2, found["name"], _short(found))


def _short(found: re.Match[str]) -> str:
    """Return the abbreviation after a name, ``""`` if what is in brackets is none of it."""
    name, short = found["name"], found["short"] or ""
    stands_for_it = (
        name[:1].lower() == short[:1].lower()
        or re.search(rf"{_THING}$", name, re.IGNORECASE)
        or re.fullmatch(r"[A-Z]\w*[a-z][A-Z]\w+", short)
    )
    return short if stands_for_it and " " not in short else ""


def _article_before(found: re.Match[str]) -> str:
    return "an " if found[1] in "aeioAEIO" else "a "


def _what_it_does(name: str, following: list[str]) -> str:
    """Return the predicate of a sentence whose subject is the method."""
    subject = rf"\b(?:{re.escape(name)}|(?:our|the proposed|this) {_THING}) (?:\w+ly )?(?=\w+s )"
    for sentence in following:
        if found := re.search(subject, sentence, re.IGNORECASE):
            return _clause(sentence[found.end() :])
    return ""


def _owned(sentences: list[str], names: _Names) -> Iterator[_Candidate]:
    """Give the name that appears as "our NAME method" to what was proposed without one."""
    proposed = [thing for sentence in sentences for thing in _objects(_PROPOSE, sentence)]
    for sentence in sentences:
        for pattern in _OWN:
            for found in pattern.finditer(sentence):
                if names.found(found):
                    does = _what_it_does(_short(found) or found["name"], sentences)
                    what = _FRESH.sub(_article_before, _clause(next(iter(proposed), does)))
                    yield _Candidate(what, 5, found["name"], _short(found))


def _unnamed(sentences: list[str]) -> Iterator[_Candidate]:
    for sentence in sentences:
        whole = bool(_WHOLE.search(sentence))
        for cue, worth in _CUES:
            for thing in _objects(cue, sentence):
                what = thing.removeprefix("that ")
                if _LOOKS_BACK.match(what) and (doing := _BY_DOING.search(what)):
                    what = what[doing.end() :]
                what = _ALSO.sub("", _clause(what))
                vague = bool(_LOOKS_BACK.match(what)) + (len(what.split()) < 4)
                is_clause = cue is _FIND or thing.startswith("that ")
                yield _Candidate(
                    what if is_clause else _ARTICLE.sub("", what), worth + whole - 2 * vague
                )


def _clause(text: str) -> str:
    clause = _CLAUSE.split(_ASIDE.sub("", _ENUMERATION.sub("", text)), maxsplit=1)[0]
    return _closed(_SHORT_FORM.sub("", clause)).rstrip(".")


def _closed(text: str) -> str:
    """Leave out a bracket that is opened last and never closed."""
    opening = text.rfind("(")
    return text[:opening].rstrip() if opening > text.rfind(")") else text


def _abbreviations(text: str) -> dict[str, str]:
    """Return what the abbreviations stand for that the text spells out, as in "risk ratio (RR)"."""
    spelled: dict[str, str] = {}
    for found in re.finditer(r"(?<![\w-])((?:[\w-]+ ){1,6})\(([A-Z]{2,5})(s?)\)", text):
        words = found[1].split()
        for count in range(1, len(words) + 1):
            phrase = " ".join(words[-count:]).removesuffix(found[3])
            initials = "".join(part[:1] for part in re.split(r"[ -]", phrase))
            if initials.upper() == found[2]:
                spelled.setdefault(found[2], phrase)
                break
    return spelled


def _spell_out(title: str, abbreviations: dict[str, str]) -> str:
    for short, phrase in abbreviations.items():
        longer = re.sub(rf"(?<![\w(-]){short}(?=s?\b)(?!s?[-:])", phrase, title, count=1)
        is_free = len(longer) <= LONGEST_TITLE or len(title) > LONGEST_TITLE
        if short not in _COMMON and is_free and phrase not in title:
            title = longer
    return title


def _fit(text: str) -> str:
    text = text.strip(" ,;:.–—")
    is_name = bool(re.match(r"\S+: ", text))
    if len(text) > LONGEST_TITLE:
        head = text[: LONGEST_TITLE - 1]
        head = head[: head.rfind(" ")] if " " in head and text[LONGEST_TITLE - 1] != " " else head
        text = _without_dangling(_closed(head)) + "…"
    else:
        text = _without_dangling(text)
    is_name = is_name or bool(_DISTINCTIVE.match(text))
    return text if is_name else text[:1].upper() + text[1:]


def _without_dangling(text: str) -> str:
    while (shorter := _DANGLING.sub("", text)) != text and shorter:
        text = shorter
    return text
