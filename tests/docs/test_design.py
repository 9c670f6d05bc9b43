"""docs/design.md must be a map of a few screens, with a link to a page of a fixed structure for each decision."""

import re

import pytest
from locations import ROOT

MAP = ROOT / "docs" / "design.md"
PAGES = sorted((ROOT / "docs" / "design").glob("*.md"))
HEADINGS = ["Question", "Decision", "Reason", "Consequences"]
OTHER_HEADINGS = {"weights.md"}  # describes stages and contains no decision
MOST_LINES = {"map": 120, "page": 80}
# Paths of the tree in code style: "ops/gemm/accuracy.h", or without the extension, "plan/add_rests".
PATH = re.compile(r"`([a-z_]+/[a-z_/]+(?:\.[a-z.]+)?/?)`")
PLACES = ("", "engine/", "engine/include/", "ops/", "ops/rewrites/")


def exists(path):
    return any(list(ROOT.glob(f"{place}{path.rstrip('/')}{end}")) for place in PLACES for end in ("", ".*"))


def test_the_map_is_short():
    assert len(MAP.read_text().splitlines()) <= MOST_LINES["map"]


def test_the_map_links_to_each_page_once():
    assert sorted(re.findall(r"\]\(design/([^)#]+)[^)]*\)", MAP.read_text().split("## Decisions")[1])) == [
        page.name for page in PAGES
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_a_title_and_the_four_headings(page):
    text = page.read_text()
    assert re.match(r"# \S", text) and len(text.splitlines()) <= MOST_LINES["page"]
    if page.name not in OTHER_HEADINGS:
        assert re.findall(r"^## (.*)$", text, re.MULTILINE)[:4] == HEADINGS


@pytest.mark.parametrize("page", [MAP, *PAGES], ids=lambda page: page.stem)
def test_links_and_paths_lead_to_files(page):
    text = page.read_text()
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).is_file()] == []
    assert [path for path in PATH.findall(text) if not exists(path)] == []
