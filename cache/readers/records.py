"""Papers as the interfaces of OpenReview, Semantic Scholar, OpenAlex and others nest them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from cache.readers.fields import names_a_paper
from cache.readers.values import as_text

_OPENREVIEW: Final = "https://openreview.net"
_NOTE_KEYS: Final = frozenset(("forum", "invitation", "invitations", "signatures", "readers"))
_VENUE: Final = re.compile(
    r"(?:submitted to\s+)?(?P<venue>\S.*?)\s+(?P<year>(?:19|20)\d\d)\b\s*(?P<presentation>.*)",
    re.IGNORECASE | re.DOTALL,
)
_GROUP: Final = re.compile(r"(?:^|/)(?P<venue>[A-Za-z][\w-]*)(?:\.\w+)?/(?P<year>(?:19|20)\d\d)\b")
_LEFT_OUT: Final = re.compile("rejected|withdrawn", re.IGNORECASE)
_HARVEST_KEYS: Final = frozenset(("authors#_avg", "gs_citation", "dblp_key"))
"""Fields of harvests that write 0 or -1 for numbers they could not find."""
_LOCATIONS: Final = ("primary_location", "best_oa_location", "host_venue")


def paper_fields(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a paper, out of what its producer wraps them in.

    Known are notes of OpenReview (https://docs.openreview.net, both versions of its interface),
    papers of Semantic Scholar (https://api.semanticscholar.org/api-docs), works of OpenAlex
    (https://docs.openalex.org/api-entities/works/work-object), lists of Paper Copilot
    (https://github.com/papercopilot/paperlists), and any object that holds the paper in one of
    its fields, as the search of DBLP does.
    """
    if _is_note(item):
        return _note_fields(item)
    item = _unwrapped(item)
    if isinstance(item.get("externalIds"), Mapping):
        return _with_external_ids(item)
    if any(isinstance(item.get(key), Mapping) for key in _LOCATIONS):
        return _with_location(item)
    if not _HARVEST_KEYS.isdisjoint(item):
        return {key: value for key, value in item.items() if value not in (0, -1)}
    return item


def is_reply(item: Mapping[str, Any]) -> bool:
    """Tell a review or a comment among OpenReview's notes from a paper."""
    forum = item.get("forum")
    return _is_note(item) and (bool(item.get("replyto")) or forum not in (None, item.get("id")))


def _is_note(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("content"), Mapping) and not _NOTE_KEYS.isdisjoint(item)


def _note_fields(note: Mapping[str, Any]) -> dict[str, Any]:
    content = {
        name: value["value"] if isinstance(value, Mapping) and "value" in value else value
        for name, value in note["content"].items()
    }
    forum = as_text(note.get("forum") or note.get("id"))
    if forum:
        content |= {"id": forum, "openreview": forum, "url": f"{_OPENREVIEW}/forum?id={forum}"}
    if as_text(content.get("pdf")).startswith("/"):
        content["pdf"] = f"{_OPENREVIEW}{content['pdf']}"
    return content | _venue_of_note(note, content)


def _venue_of_note(note: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, str]:
    """Part "ICLR 2024 poster"; without a year in it, find that in the group of the note."""
    venue = as_text(content.get("venue"))
    if match := _VENUE.fullmatch(venue):
        left_out = _LEFT_OUT.search(as_text(content.get("venueid")))
        return match.groupdict() | ({"presentation": left_out[0]} if left_out else {})
    for group in (content.get("venueid"), note.get("invitation"), note.get("invitations")):
        if match := _GROUP.search(as_text(group)):
            return {"venue": venue or match["venue"], "year": match["year"]}
    return {}


def _unwrapped(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the one paper that an object holds with the object's own fields, else the object."""
    if _names_a_paper(item):
        return item
    wrappers = [key for key, inner in item.items() if _names_a_paper(inner)]
    if len(wrappers) != 1:
        return item
    # A name with @ is about the answer and not about the paper, in what was XML before.
    own = {key: item[key] for key in item if key != wrappers[0] and not key.startswith("@")}
    return own | dict(item[wrappers[0]])


def _names_a_paper(value: Any) -> bool:
    return isinstance(value, Mapping) and names_a_paper(list(value))


def _with_external_ids(item: Mapping[str, Any]) -> dict[str, Any]:
    ids = item["externalIds"]
    return {**item, "doi": ids.get("DOI"), "arxiv": ids.get("ArXiv")}


def _with_location(item: Mapping[str, Any]) -> dict[str, Any]:
    location = next(item[key] for key in _LOCATIONS if isinstance(item.get(key), Mapping))
    fields = {key: value for key, value in item.items() if key != "display_name"}
    fields.setdefault("title", item.get("display_name"))
    return fields | {
        "venue": location.get("source") or location.get("display_name"),
        "url": location.get("landing_page_url"),
        "pdf_url": location.get("pdf_url"),
    }
