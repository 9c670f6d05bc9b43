"""A hook of mkdocs that puts the reference of headers, as Doxygen reads them, into pages of the site.

A line `::: linnet/model.h` becomes the declarations of that header with their comments. In pages of snippets, the names
in a line `Reference: ...` at the end of a section become links, and the reference of these names links back.
"""

import re
import subprocess
import tempfile
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

from markdown.extensions.toc import slugify
from mkdocs.exceptions import PluginError

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ["engine/include", "ops/include", "frontends/onnx/include", "bindings/c/include"]
DIRECTIVE = re.compile(r"^::: (linnet[\w/]*\.h)$", re.MULTILINE)
SECTION_OR_REFERENCE = re.compile(r"^## (.*)$|^Reference: (.*)\.$", re.MULTILINE)
# A heading among the declarations of a header.
DIVIDER = re.compile(r"^// ---- (.*) ----$")
WIDTH = 76
SHOWN = {"public", "protected"}
CLASSES = {"class", "struct"}
FUNCTIONS = {"function", "friend"}
# Members that need no documentation: copies, moves and destructors.
SPECIAL_MEMBER = re.compile(r"(virtual )?~\w+\(.*|(\w+)(& operator=)?\((const \2&|\2&&)( other)?\).*")
# Kinds that may share a comment if they are on consecutive lines, such as a type of C and the enum of its values.
RELATED = [FUNCTIONS, {"typedef", "enum"}, {"variable"}]


def run_doxygen():
    """The elements of the classes, namespaces and files of all headers."""
    with tempfile.TemporaryDirectory() as folder:
        settings = (ROOT / "docs" / "Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {folder}\n"
        try:
            result = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True, cwd=ROOT)
        except FileNotFoundError:
            raise PluginError("doxygen is not installed: apt-get install doxygen") from None
        if result.returncode or result.stderr:
            raise PluginError(f"doxygen found mistakes in comments of headers:\n{result.stderr}")
        compounds = [ElementTree.parse(path).getroot()[0] for path in sorted(Path(folder, "xml").glob("*.xml"))]
    return [compound for compound in compounds
            if compound.tag == "compounddef" and compound.get("kind") in CLASSES | {"namespace", "file"}]  # fmt: skip


def read_headers():
    """The lines of each header by its name in an #include."""
    return {str(path.relative_to(ROOT / folder)): path.read_text().splitlines()
            for folder in FOLDERS for path in (ROOT / folder).glob("**/*.h")}  # fmt: skip


class Entry:
    """A declaration, or several on consecutive lines that share a comment."""

    def __init__(self, element, name, lines):
        self.kind, self.elements, self.members = element.get("kind"), [element], []
        self.names = [name]
        self.first, self.last, self.text = declaration(lines, location(element)[1], self.kind)

    @property
    def documented(self):
        paragraphs = "briefdescription/para", "detaileddescription/para"
        return any(element.find(path) is not None for element in self.elements for path in paragraphs)

    def joins(self, before, is_member):
        """Whether the comment of `before` is that of this entry, too."""
        if before.last == self.first == self.last:
            return True
        related = any({self.kind, before.kind} <= kinds for kinds in RELATED)
        same_comment = related and not self.documented and self.first == before.last + 1
        return same_comment and not (is_member and self.kind == "variable")

    def append(self, other):
        if other.last > self.last:
            self.text += "\n" + other.text
        self.last = max(self.last, other.last)
        self.names += other.names
        self.elements += other.elements

    @property
    def title(self):
        names = [re.sub(r"^linnet::|< .*>$", "", name) + "()" * (self.kind in FUNCTIONS) for name in self.names]
        names = [*dict.fromkeys(name for name in names if not name.isupper())] or names[:1]
        return ", ".join(names if len(names) <= 4 else names[:1])


def location(element):
    place = element.find("location")
    return (place.get("file"), int(place.get("line"))) if place is not None and place.get("line") else None


def declaration(lines, line, kind):
    """The numbers of the first and last line of a declaration, and its text without a body."""
    first = line
    while re.match(r"\s*(template <|requires)", lines[first - 2]):
        first -= 1
    if kind in CLASSES:
        return first, line, re.sub(r"^typedef |LINNET_API |( final)?\s*\{.*", "", lines[line - 1]).strip()
    text, depth, last = [], 0, first
    for last, current in enumerate(lines[first - 1 :], first):
        code = current.replace("///<", "//") if kind == "enum" else re.sub(r"\s*//.*", "", current)
        text.append(code)
        depth += sum(map(code.count, "({")) - sum(map(code.count, ")}"))
        has_body = kind in FUNCTIONS and re.search(r"\{$|\{.*\}$", code)
        if kind == "define" or (last >= line and (has_body or (depth == 0 and ";" in code))):
            break
    joined = dedent("\n".join(text)).replace("LINNET_API ", "")
    if kind == "define":
        return first, last, re.match(r"#define (\w+\([^)]*\)|.*)", joined)[0].rstrip(" \\")
    if kind in FUNCTIONS:
        joined = re.sub(r"(\)[\w\s&]*?)\s*(: \w+[({].*|\{.*)", r"\1", joined, flags=re.DOTALL).rstrip(";") + ";"
    return first, last, joined.strip()


def anchor_of(name):
    return re.sub(r"[^\w:~]+", "-", name)


def escape(text):
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_\[\]{}])", r"\\\1", text)


def wrapped(text):
    """Declarations with one parameter on a line where they are wider than the page."""
    result = []
    for part in re.split(r"(?<=;)\n", text):
        flat = re.sub(r"\s*\n\s*", " ", re.sub(r"^template <.*>\n", "", part))
        match = re.fullmatch(r"([^()]*(?:operator\(\))?)\((.+)\)([^()]*;)", flat)
        if match and max(map(len, part.split("\n"))) > WIDTH:
            parameters = re.split(r", (?![^<(]*[>)])", match[2])
            begin = part.split("\n")[0] + "\n" if part.startswith("template") else ""
            part = f"{begin}{match[1]}(\n    " + ",\n    ".join(parameters) + f"){match[3]}"
        result.append(part)
    return "\n".join(result)


class Reference:
    """The declarations of all headers, and the pages that have them."""

    def __init__(self):
        self.headers = read_headers()
        self.pages = {}  # of headers
        self.anchors = {}  # headers and anchors of Doxygen's identifiers
        self.homes = {}  # headers of names
        self.examples = {}  # titles, pages and anchors of sections of snippets, by name
        self.comments = {}  # of headers as a whole
        self.entries = self.group(self.find(run_doxygen()))
        self.check()

    def find(self, compounds):
        """The declarations of each header: line, name and element."""
        found = {header: [] for header in self.headers}
        classes = {compound.findtext("compoundname") for compound in compounds if compound.get("kind") in CLASSES}
        count = {}

        def add(element, name):
            header, line = location(element) or (None, 0)
            if "@" in name:  # an enum without a name
                name = element.findtext("enumvalue/name")
            identifier = element.get("id")
            if header not in found or identifier in self.anchors or element.get("prot", "public") not in SHOWN:
                return
            if element.get("kind") == "typedef" and name in classes:
                return
            anchor = anchor_of(name)
            count[anchor] = count.get(anchor, 0) + 1
            for part in (element, *element.iter("enumvalue")):
                self.anchors[part.get("id")] = header, anchor + (f"-{count[anchor]}" if count[anchor] > 1 else "")
            self.homes[name] = header
            found[header].append((line, name, element))

        for compound in compounds:
            if compound.get("prot", "public") not in SHOWN:
                continue
            if compound.get("kind") in CLASSES:
                add(compound, compound.findtext("compoundname"))
            for member in compound.iter("memberdef"):
                add(member, member.findtext("qualifiedname") or member.findtext("name"))
        for compound in compounds:
            if compound.get("kind") == "file":
                self.comments[compound.find("location").get("file")] = compound
        return found

    def group(self, found):
        """The entries of each header in order; those of a class are its members."""
        result = {}
        for header, declarations in found.items():
            entries, classes = [], {}
            for _, name, element in sorted(declarations, key=lambda declared: declared[0]):
                entry = Entry(element, name, self.headers[header])
                if SPECIAL_MEMBER.fullmatch(entry.text) and not entry.documented:
                    continue
                owner = classes.get(name.rpartition("::")[0])
                siblings = entries if owner is None or entry.kind in CLASSES else owner.members
                if entry.kind in CLASSES:
                    classes[name] = entry
                if siblings and entry.joins(siblings[-1], siblings is not entries):
                    siblings[-1].append(entry)
                else:
                    siblings.append(entry)
            result[header] = entries
        return result

    def check(self):
        """Raises an error for what has no comment, other than variables."""
        entries = [(header, entry) for header, found in self.entries.items() for entry in found]
        entries += [(header, member) for header, entry in entries for member in entry.members]
        missing = [f"{header}:{entry.first}: {entry.text}" for header, entry in entries
                   if entry.kind != "variable" and not entry.documented]  # fmt: skip
        if missing:
            raise PluginError("these declarations have no comment (///):\n" + "\n".join(missing))

    def target(self, name):
        """The page and anchor of a name, which may leave out the namespace."""
        full = name if name in self.homes else f"linnet::{name}"
        page = self.pages.get(self.homes.get(full))
        if not page:
            raise PluginError(f"a page of snippets refers to '{name}', which no header in the reference declares")
        return full, f"{page}#{anchor_of(full)}"

    def add_examples(self, page, text):
        title = ""
        for section, names in SECTION_OR_REFERENCE.findall(text):
            title = section or title
            for name in re.findall(r"`([^`]+)`", names):
                self.examples.setdefault(self.target(name)[0], []).append((title, page, slugify(title, "-")))

    def link_names(self, line):
        return re.sub(r"`([^`]+)`", lambda name: f"[{name[0]}]({self.target(name[1])[1]})", line)

    # From here on: Markdown.

    def render(self, header):
        parts = [f"```cpp\n#include <{header}>\n```", self.comment([self.comments[header]])]
        dividers = [(number, match[1]) for number, line in enumerate(self.headers[header], 1)
                    if (match := DIVIDER.match(line))]  # fmt: skip
        title = ""
        for entry in self.entries[header]:
            while dividers and dividers[0][0] < entry.first:
                parts.append(f"## {dividers.pop(0)[1]}")
            repeated, title = entry.title == title, entry.title
            if not repeated:
                kind = " .function" if entry.kind in FUNCTIONS else ""
                parts.append(f"### {escape(title)} {{ #{self.anchors[entry.elements[0].get('id')][1]}{kind} }}")
            parts += self.render_entry(entry, entry.elements[0 if repeated else 1 :], ())
            for member in entry.members:
                parts += self.render_entry(member, member.elements, self.examples_of(entry))
        return "\n\n".join(part for part in parts if part)

    def examples_of(self, entry):
        return [*dict.fromkeys(place for name in entry.names for place in self.examples.get(name, ()))]

    def render_entry(self, entry, elements, examples_of_class):
        """`elements`: those that need an anchor."""
        kind = ' class="function"' if entry.kind in FUNCTIONS else ""
        marks = "".join(f'<a id="{self.anchors[element.get("id")][1]}"{kind}></a>' for element in elements)
        examples = [place for place in self.examples_of(entry) if place not in examples_of_class]
        links = ", ".join(f"[{title}]({page}#{anchor})" for title, page, anchor in examples)
        example = f"Example: {links}" if links else ""
        if entry.kind == "variable" and elements and elements[0] is entry.elements[0]:
            code = " ".join(entry.text.split()).rstrip(";")
            text = self.comment(entry.elements).replace("\n", "\n    ")
            return [f"- {marks}`{code}`" + (f": {text}" if text else "") + (f" {example}" if example else "")]
        text = wrapped(entry.text) if entry.kind in FUNCTIONS else entry.text
        return [marks, f"```cpp\n{text}\n```", self.comment(entry.elements), example]

    def comment(self, elements):
        tags = "briefdescription", "detaileddescription"
        parts = [self.blocks(element.find(tag)) for element in elements for tag in tags]
        return "\n\n".join(dict.fromkeys(part for part in parts if part))

    def blocks(self, element):
        """Paragraphs, lists and code."""
        parts = []
        for para in element.iterfind("para") if element is not None else ():
            parts.append(escape(para.text or ""))
            for child in para:
                block = self.block(child)
                if block:
                    parts += [block, escape(child.tail or "")]
                else:
                    parts[-1] += self.inline(child) + escape(child.tail or "")
            parts.append("")
        text = "\n\n".join(part.strip() for part in parts if part.strip())
        text = re.sub(r"docs/([\w\\/]+\.md)", lambda path: f"[{path[0]}]({path[1]})".replace("\\_", "_"), text)
        return re.sub(r"(?<=\.) (?=Throws?\b)", "\n\n", text)

    def block(self, element):
        if element.tag in ("itemizedlist", "orderedlist"):
            return "\n".join("- " + self.blocks(item).replace("\n", "\n    ") for item in element)
        if element.tag == "parameterlist":
            return "\n".join(f"- `{''.join(item[0].itertext()).strip()}`: {self.blocks(item[1])}" for item in element)
        if element.tag == "simplesect":
            return f"{element.get('kind').capitalize()}: {self.blocks(element)}"
        if element.tag == "programlisting":
            for space in element.iter("sp"):
                space.text = " "
            return "```cpp\n" + "\n".join("".join(line.itertext()) for line in element.iter("codeline")) + "\n```"
        return ""

    def inline(self, element):
        text = "".join(element.itertext())
        header, anchor = self.anchors.get(element.get("refid"), (None, None))
        if element.tag == "ref" and header in self.pages:
            return f"[`{text}`]({self.pages[header]}#{anchor})"
        if element.tag == "ulink":
            return f"[{escape(text)}]({element.get('url')})"
        if element.tag in ("ref", "computeroutput"):
            return f"`{text}`"
        if element.tag in ("emphasis", "bold"):
            return f"*{escape(text)}*"
        return {"ndash": "–", "mdash": "—", "sp": " ", "linebreak": " "}.get(element.tag) or escape(text)


_reference = None


def on_files(files, config):
    """Reads the headers, which pages have them, and the pages of snippets."""
    global _reference
    _reference = Reference()
    texts = {file.src_uri: Path(file.abs_src_path).read_text() for file in files.documentation_pages()}
    for page, text in texts.items():
        for header in DIRECTIVE.findall(text):
            if header not in _reference.headers:
                raise PluginError(f"{page} names the header {header}, which does not exist")
            _reference.pages[header] = page
    for page, text in texts.items():
        _reference.add_examples(page, text)
    return files


def on_page_markdown(markdown, page, config, files):
    markdown = re.sub(r"^Reference: .*\.$", lambda line: _reference.link_names(line[0]), markdown, flags=re.MULTILINE)
    return DIRECTIVE.sub(lambda line: _reference.render(line[1]), markdown)
