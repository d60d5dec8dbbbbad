"""Reading orders in sittings of about an hour, for hooks.py: pages of the site in the order of mkdocs.yml, with the exercises that
stand on them.

Minutes: a page takes a minute for 150 words, an exercise what holes.txt says.  So a new page or exercise has its place at once."""
import pathlib
import re

import yaml

DOCS = pathlib.Path(__file__).resolve().parent
WORDS_A_MINUTE = 150
HOUR, LEAST = 75, 40  # minutes of a sitting, at most; and from how many on it may end


def pages_in_order():
    """Layers 1 to 6 of the navigation."""
    nav = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text())["nav"]
    return [page[:-3] for part in nav for title, pages in part.items() if title[0].isdigit() for page in pages]


def title_of(page):
    return re.search(r"^# (.+)$", (DOCS / f"{page}.md").read_text(), re.M).group(1)


def exercises_on(page, holes):
    return [row for row in holes.values() if row[4] == page]


def minutes_of(page, holes):
    words = len((DOCS / f"{page}.md").read_text().split())
    return words / WORDS_A_MINUTE + sum(int(row[3]) for row in exercises_on(page, holes))


def packed(pages, holes):
    """The pages in lists, each about an hour long."""
    sittings, minutes = [], 0
    for page in pages:
        own = minutes_of(page, holes)
        if not sittings or (minutes + own > HOUR and minutes >= LEAST) or own > HOUR:
            sittings.append([])
            minutes = 0
        sittings[-1].append(page)
        minutes += own
    return sittings


def table(sittings, holes):
    rows = ["| | read | do | minutes |", "|---|---|---|---|"]
    for number, pages in enumerate(sittings, 1):
        read = ", ".join(f"[{title_of(page)}]({page}.md)" for page in pages)
        todo = ", ".join(f"{row[0]} {row[2]}" for page in pages for row in exercises_on(page, holes))
        rows.append(f"| {number} | {read} | {todo} | {sum(minutes_of(page, holes) for page in pages):.0f} |")
    hours = sum(minutes_of(page, holes) for pages in sittings for page in pages) / 60
    return "\n".join(rows) + f"\n\n{len(sittings)} sittings, {hours:.0f} hours in all."
