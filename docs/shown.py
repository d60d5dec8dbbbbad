"""Which page shows which file, and where its exercises are: read from the tags of the pages, so that no list has to be kept.

A page knows a header when it shows a piece of it, or of the source of the same name; failing that, when it names it in `code`, in the
table of files at the end of a layer's first page, or shows a source that includes it."""
import functools
import pathlib
import re

import road

ROOT = pathlib.Path(__file__).resolve().parent.parent
TAG = re.compile(r"^ *\{\{ (source|contract|head) (\S+)", re.M)
NAMED = re.compile(r"`(?:[\w./]+/)?(\w+\.h)`|^ *\{\{ line (\S+\.h) |\]\((?:\.\./)*(layer\d_\w+/\S+\.h)\)", re.M)
CONTENTS = re.compile(r"^\{\{ contents (\S+) \}\}$", re.M)
HEADERS = ("layer*/include/*.h", "layer*/extras/include/*.h")


@functools.lru_cache(maxsize=None)
def headers():
    """Public headers: name -> path."""
    return {path.name: str(path.relative_to(ROOT)) for pattern in HEADERS for path in sorted(ROOT.glob(pattern))}


def header_of(source):
    """The public header of the same name, of the same layer; None when there is none."""
    header = headers().get(pathlib.Path(source).stem + ".h")
    return header if header and header.split("/")[0] == source.split("/")[0] else None


@functools.lru_cache(maxsize=None)
def files_of(path):
    """The files that a page shows, headers first, each header also for its source."""
    shown = list(dict.fromkeys(file for _, file in TAG.findall((road.DOCS / path).read_text()) if file.startswith(("layer", "exercises/", "docs/examples/"))))
    found = [file for file in shown if file.endswith(".h")]
    found += [header for header in map(header_of, shown) if header and header not in found]
    return [*dict.fromkeys(found), *(file for file in shown if not file.endswith(".h"))]


def names_on(path):
    """The public headers that a page names without showing them."""
    found = {pathlib.Path(next(filter(None, names))).name for names in NAMED.findall((road.DOCS / path).read_text())}
    return [headers()[name] for name in sorted(found) if name in headers()]


def included(name, path):
    """The file that `#include "NAME"` in a source means; None when there are several, or none."""
    near = ((ROOT / path).parent / name).resolve()
    found = [near] if near.is_file() else [file for folder in ("include", "extras/include", "src", "extras") for file in ROOT.glob(f"layer*/{folder}/{name}")]
    return str(found[0].relative_to(ROOT)) if len(found) == 1 else None


@functools.lru_cache(maxsize=None)
def includes_of(file):
    """The headers of the project that a C file includes: the name there -> the file."""
    names = re.findall(r'^#include "([^"]+)"', (ROOT / file).read_text(), re.M) if file.endswith((".c", ".h")) else []
    return {name: header for name, header in ((name, included(name, file)) for name in names) if header}


def includes_in_layer(file):
    """Those beside it, and public ones of its layer; what is fetched from another folder is a detail."""
    return [header for name, header in includes_of(file).items() if "/" not in name and header.split("/")[0] == file.split("/")[0]]


def reached_from(files, next_of=includes_in_layer):
    """Files, and what they include."""
    found, waiting = {}, list(files)  # found: in the order in which they were met
    while waiting:
        file = waiting.pop(0)
        if file not in found:
            found[file] = True
            waiting += next_of(file)
    return list(found)


def listed_on(path):
    """The headers in the tables of files of a page: an umbrella, and what it includes."""
    return reached_from(CONTENTS.findall((road.DOCS / path).read_text()))


@functools.lru_cache(maxsize=None)
def pages_of():
    """file -> the pages that show it, in the order of the navigation; when there is none, those that name it."""
    levels = tuple({} for _ in range(4))  # the first counts least
    for path in road.pages():
        files = files_of(path)
        for level, found in zip(levels, (reached_from(files), listed_on(path), names_on(path), files)):
            for file in dict.fromkeys(found):
                level.setdefault(file, []).append(path)
    return {file: pages for level in levels for file, pages in level.items()}


def storey(file):
    """core or extras, for a file of a layer; None for others."""
    found = re.match(r"layer\d_\w+/(src|include|extras)/", file)
    return found and ("extras" if found.group(1) == "extras" else "core")


def chip(file):
    which = storey(file)
    return f' <small class="storey {which}">{which}</small>' if which else ""
