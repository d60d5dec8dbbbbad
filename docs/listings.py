"""Listings: a piece of a source file by the name of what it defines, with numbered notes beneath.

    {{ source FILE NAME... }}                  parts in the order of the file; where lines are left out, the listing says so
    {{ note text of a line | a sentence }}     any number of them, on the lines right below the tag

A note belongs to the one line that contains its text (which ends at the first " | "), and notes come in the order of their lines.  On the
page, a number marks the line and the note below the listing, so that notes can be read without a mouse, on a phone and on paper.

Note numbers and gaps pass through the highlighter and Markdown as private-use characters, and become HTML afterwards (`unveil`).  The
sources contain none of it."""
import html
import pathlib
import re

from mkdocs.exceptions import PluginError

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTE = re.compile(r"^ *\{\{ note (.+?) \| (.+) \}\}$", re.M)
HIDDEN = re.compile("<span class=\"err\">([\ue020-\ue07e]+)</span>|([\ue020-\ue07e]+)")
LIST = re.compile("<ol>(?=\\s*<li>(?:<p>)?\ue06e)")  # whose first item begins with a veiled "note"


def read(path):
    file = ROOT / path
    if not file.is_file():
        raise PluginError(f"no file {path}")
    return file.read_text()


def veil(text):
    """The same characters in a range that no language uses."""
    return "".join(chr(0xE000 + ord(c)) for c in text)


def unveil(page, code):
    """HTML with what was veiled in it; `code(path, line)` is the address of a line of a source."""
    def shown(match):
        kind, *rest = "".join(chr(ord(c) - 0xE000) for c in match.group(1) or match.group(2)).split(" ")
        if kind == "gap":
            path, number, lines = rest
            return f'<a class="gap" href="{html.escape(code(path, number))}" data-n="{lines}"></a>'
        other, label = {"mark": ("note", "the note to this line"), "note": ("mark", "the line of this note")}[kind]
        place, number = rest[0], rest[0].split("-")[1]
        return f'<a class="{kind}" id="{kind}-{place}" href="#{other}-{place}" data-n="{number}" aria-label="{number}: {label}"></a>'

    return HIDDEN.sub(shown, LIST.sub('<ol class="notes">', page))


def with_comment(text, start):
    """The position of the comment that stands right above, or start itself."""
    above = text[:start]
    if above.rstrip(" ").endswith("*/\n"):
        return above.rindex("/*")
    return start


def definition(text, name):
    """Start and end of what defines a name: a function, a table, a type or a macro."""
    word = r"\b" + re.escape(name) + r"\b"
    patterns = [
        (r"^(?:INLINE_OF\(\w*\)\s+)?[A-Za-z_][^;{}()=\n#]*?" + word + r"\s*\([^;{}]*\)\s*\{", "}"),
        (r"^[A-Za-z_][^;{}()\n]*?" + word + r"[^;{}()\n]*=\s*\{", "};"),
        (r"^(?:typedef )?(?:struct|enum) " + word + r"[^;{}]*\{", "}"),
        (r"^#define " + word, None),
    ]
    for pattern, close in patterns:
        found = re.search(pattern, text, re.M)
        if not found:
            continue
        start, line_end = found.start(), text.index("\n", found.end() - 1)
        if close is None:
            end = start
            while text[end:text.index("\n", end)].endswith("\\"):
                end = text.index("\n", end) + 1
            return start, text.index("\n", end)
        if re.search(r"\} *\w*;?$", text[found.end():line_end]):  # all on one line
            return start, line_end
        end = re.compile(r"^.*\};$" if close == "};" else r"^\}.*$", re.M).search(text, found.end())
        return start, end.end()
    return None


def fence(path, line, body):
    return f'```c title="{path}:{line}"\n{body}\n```'


def source(arguments):
    path, *names = arguments.split()
    text, places = read(path), []
    for name in names:
        place = definition(text, name)
        if place is None:
            raise PluginError(f"{path} defines no {name}")
        places.append((with_comment(text, place[0]), place[1]))
    places.sort()
    body = text[places[0][0]:places[0][1]]
    for (_, before), (start, end) in zip(places, places[1:]):
        between = text[before:start].strip()
        line = text.count("\n", 0, start) + 1
        body += "\n" + (veil(f"gap {path} {line} {len(between.splitlines())}") if between else "") + "\n" + text[start:end]
    return fence(path, text.count("\n", 0, places[0][0]) + 1, body)


def contract(arguments):
    path, name = arguments.split()
    text = read(path)
    found = re.search(r"^[A-Za-z_][^;{}()\n]*\b" + re.escape(name) + r"\([^;{}]*\);", text, re.M)
    if not found:
        raise PluginError(f"{path} declares no {name}")
    start = with_comment(text, found.start())
    return fence(path, text.count("\n", 0, start) + 1, text[start:found.end()])


def head(path):
    text = read(path)
    if not text.startswith("/*"):
        raise PluginError(f"{path} has no comment at its head")
    lines = text[2:text.index("*/")].split("\n")
    lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in lines]
    return f'```text title="{path}"\n' + "\n".join(lines).strip() + "\n```"


def notes_of(lines, tag):
    """The notes below a tag: (text, sentence) each."""
    if tag not in ("source", "contract"):
        raise PluginError(f"a note stands below a source or a contract, not a {tag}")
    found = NOTE.findall(lines)
    if len(found) != len(lines.strip().split("\n")):
        raise PluginError("a note is {{ note text of a line | a sentence }}")
    return found


def with_notes(listing, notes, which):
    """A fenced listing and a list of its notes, (text, sentence) each; `which` tells the listings of a page apart."""
    lines, last = listing.split("\n"), 0
    for number, (text, _) in enumerate(notes, 1):
        at = [i for i in range(1, len(lines) - 1) if text in lines[i]]
        if len(at) != 1:
            raise PluginError(f"{len(at)} lines of the listing have '{text}': a note is about one")
        if at[0] <= last:
            raise PluginError(f"the note on '{text}' belongs above the one before it" if at[0] < last else f"two notes on the line of '{text}'")
        last = at[0]
        lines[last] = veil(f"mark {which}-{number}") + lines[last]
    listed = [f"{number}. {veil(f'note {which}-{number}')}{sentence}" for number, (_, sentence) in enumerate(notes, 1)]
    return "\n".join(lines + [""] + listed)
