"""Builds the documentation site with its script, and opens each page as a file in Chromium."""

import re
import shutil
import subprocess

import pytest
from html_pages import Page, is_remote, problem
from locations import ROOT

PAGES = sorted(str(path.relative_to(ROOT / "docs").with_suffix("")) for path in ROOT.glob("docs/**/*.md"))
# Pages with only text and tables, in one folder. The browser opens one of them; the links of all are checked.
DESIGN = [name for name in PAGES if name.startswith("design/")]
OPENED = [name for name in PAGES if name not in DESIGN[1:]]
BROWSER = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
           "--virtual-time-budget=5000"]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Returns the folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run([ROOT / "scripts" / "build_docs.sh", folder], capture_output=True, text=True)
    if "pip could not install" in built.stderr:
        pytest.skip(built.stderr)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture
def browse(site, tmp_path):
    """Opens a page of the site. Returns its contents after its scripts have run, and their console output."""
    if not shutil.which("chromium"):
        pytest.skip("chromium is not installed")

    def open_page(name):
        page, log = tmp_path / "page.html", tmp_path / "log.txt"
        # Writes to files because Chromium's helper processes keep pipes open after it has ended.
        with page.open("w") as out, log.open("w") as err:
            command = [*BROWSER, f"--user-data-dir={tmp_path}/profile", f"file://{site}/{name}"]
            subprocess.run(command, stdout=out, stderr=err, timeout=120, check=True)
        assert "</html>" in page.read_text(), log.read_text()
        return page.read_text(), re.findall(r":CONSOLE[:(].*", log.read_text())

    return open_page


def test_the_site_has_just_the_pages_of_the_folder(site):
    assert sorted(str(path.relative_to(site).with_suffix("")) for path in site.rglob("*.html")) == PAGES


def test_style_sheets_load_nothing_from_elsewhere(site):
    for sheet in site.rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", sheet.read_text()), sheet


def problems(text, file):
    """Returns the problems of the references on a page of the site."""
    page = Page(text)
    remote = [f"{reference} is loaded from elsewhere" for reference in page.resources if is_remote(reference)]
    local = [reference for reference in page.links | page.resources if not is_remote(reference)]
    assert len(local) > len(PAGES)
    return remote + [found for reference in local if (found := problem(reference, file))]


@pytest.mark.parametrize("name", OPENED)
def test_page_opens_without_errors_or_broken_links(site, browse, name):
    text, console = browse(f"{name}.html")
    assert console + problems(text, site / f"{name}.html") == []


@pytest.mark.parametrize("name", DESIGN)
def test_page_has_no_broken_links(site, name):
    assert problems((site / f"{name}.html").read_text(), site / f"{name}.html") == []


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda page: page.stem)
def test_links_of_the_pages_beside_the_site_lead_to_files(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    assert [link for link in links if not is_remote(link) and not (ROOT / link).is_file()] == []


def test_readers_choose_colours_and_copy_code(browse):
    text, console = browse("python.html")
    assert console == []
    assert len(re.findall(r'name="__palette"', text)) == 2
    assert "content.code.copy" in text


@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith("design/")])
def test_page_ends_with_a_way_on(name):
    last = (ROOT / "docs" / f"{name}.md").read_text().rstrip().rpartition("\n\n")[2]
    assert name == "index" or last.startswith("Next:") and "](" in last


def test_search_finds_pages_without_a_server(browse):
    text, console = browse("index.html?q=deadline")
    assert console == []
    assert re.search(r'<a href="[^"]*/limits_and_security.html(\?h=\w*)?" class="md-search-result__link"', text)
