"""Builds the documentation site with its script, and opens each page as a file in Chromium."""

import re
import shutil
import subprocess

import pytest
from documentation import COOKBOOKS, blocks
from html_pages import Page, is_remote, problem
from locations import ROOT

PAGES = sorted(str(path.relative_to(ROOT / "docs").with_suffix("")) for path in ROOT.glob("docs/**/*.md"))
# Pages of text, tables and code alone: the browser opens one of each kind, the links of all are followed.
DESIGN = [name for name in PAGES if name.startswith("design/")]
REFERENCE = [name for name in PAGES if name.endswith(("_api", "_snippets"))]
OPENED = [name for name in PAGES if name not in DESIGN[1:] + REFERENCE[1:]]
BROWSER = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
           "--virtual-time-budget=5000"]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Returns the folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run([ROOT / "scripts" / "build_docs.sh", folder], capture_output=True, text=True)
    if "pip could not install" in built.stderr or "doxygen is not installed" in built.stderr:
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


@pytest.mark.parametrize("width", [400, 1300, 1900])
@pytest.mark.parametrize("name", ["index", "performance", "run_model", "cpp_api"])
def test_page_fits_the_window(site, tmp_path, name, width):
    """Tables and code scroll inside the page; the page itself does not."""
    if not shutil.which("chromium"):
        pytest.skip("chromium is not installed")
    script = "<script>document.title = document.documentElement.scrollWidth - innerWidth</script></body>"
    measured = site / f"{name}_{width}.htm"
    measured.write_text((site / f"{name}.html").read_text().replace("</body>", script))
    command = [*BROWSER, f"--user-data-dir={tmp_path}/profile", f"--window-size={width},1000", f"file://{measured}"]
    page = tmp_path / "page.html"
    with page.open("w") as out, (tmp_path / "log.txt").open("w") as err:
        subprocess.run(command, stdout=out, stderr=err, timeout=120, check=True)
    assert int(re.search(r"<title>(-?\d+)</title>", page.read_text()).group(1)) <= 0


@pytest.mark.parametrize("name", DESIGN + REFERENCE)
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


def programs(language):
    return "\n".join(block.text for page in COOKBOOKS for block in blocks(page, language))


# Classes of Python that programs get from functions.
RETURNED = {"Context", "LinnetBackend", "Memory", "Metadata", "NodeEvent", "Representation", "ValueInfo"}


# Functions of C++ and C by their anchors; constructors and operators have the names of what they make and do.
@pytest.mark.parametrize("page, language", [("cpp_api", "cpp"), ("cpp_operator_api", "cpp"), ("c_api", "c")])
def test_each_function_is_in_a_program_to_copy(site, page, language):
    anchors = re.findall(r'id="([^"]+)" class="function"|class="function" id="([^"]+)"', (site / f"{page}.html").read_text())
    names = [re.sub(r"-\d+$", "", first or second).split("::") for first, second in anchors]
    names = {name[-1] for name in names if name[-1] not in name[:-1] and not re.match("operator|~", name[-1])}
    assert len(names) > 30
    assert {name for name in names if not re.search(rf"\b{name}\b", programs(language))} == set()


def test_each_function_of_python_is_in_a_program_to_copy(site):
    anchors = re.findall(r'id="linnet\.([\w.]+)"', (site / "python_api.html").read_text())
    names = {name.split(".")[-1] for name in anchors} - RETURNED
    assert {"Session", "run_async", "bind_state", "ShapeError"} <= names
    assert {name for name in names if not re.search(rf"\b{name}\b", programs("python"))} == set()


def test_each_header_is_in_the_reference():
    folders = [ROOT / folder / "include" for folder in ("engine", "ops", "frontends/onnx", "bindings/c")]
    headers = [path.relative_to(folder) for folder in folders for path in folder.glob("**/*.h") if path.name != "export.h"]
    pages = "".join((ROOT / "docs" / f"{page}.md").read_text() for page in ("cpp_api", "cpp_operator_api", "c_api"))
    assert sorted(re.findall(r"^::: (\S+)$", pages, re.MULTILINE)) == sorted(map(str, headers))


def test_search_finds_pages_without_a_server(browse):
    text, console = browse("index.html?q=deadline")
    assert console == []
    assert re.search(r'<a href="[^"]*/limits_and_security.html(\?h=\w*)?" class="md-search-result__link"', text)
