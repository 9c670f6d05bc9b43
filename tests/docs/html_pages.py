"""The references of a page of the site."""

from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# The attributes by which an element loads a file.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


class Page(HTMLParser):
    """The names, links and loaded files of an HTML text."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.resources = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        if tag == "a" and attributes.get("href"):
            self.links.add(attributes["href"])
        if attributes.get(LOADED.get(tag)):
            self.resources.add(attributes[LOADED[tag]])


@cache
def names(file):
    """Returns the anchors of a page of the site."""
    return Page(file.read_text()).names


def is_remote(reference):
    parts = urlsplit(reference)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "mailto")


def problem(reference, page):
    """Returns the problem of a reference to a file from the file `page` of the site, or `None`."""
    parts = urlsplit(reference)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return f"{reference}: there is no {target}"
    if parts.fragment and unquote(parts.fragment) not in names(target):
        return f"{reference}: {target.name} has no such place"
    return None
