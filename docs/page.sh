#!/bin/sh
# page.sh docs/FOLDER/PAGE.md: one page as the site will show it, as Markdown: its tags filled in, its commands run.  For the author
# of a page: seconds, where make docs takes minutes.
page=${1#docs/}
cd "$(dirname "$0")/.." || exit 1
[ -f "docs/$page" ] || { echo "page.sh: no page '$1'. Wanted: docs/FOLDER/PAGE.md" >&2; exit 2; }
mkdocs=$(command -v mkdocs) || { echo "page.sh: mkdocs is missing. Install: make deps docs" >&2; exit 1; }
python=$(sed -n '1s/^#! *//p' "$mkdocs")
exec $python - "$page" <<'END'
import pathlib
import sys
import types

sys.path.insert(0, "docs")
import hooks
import road
from mkdocs.exceptions import PluginError

page = sys.argv[1]
if page.startswith("layer") and page not in road.pages():
    sys.exit(f"docs/{page}: not in the navigation. Add it to nav in mkdocs.yml")
where = types.SimpleNamespace(file=types.SimpleNamespace(src_path=page))
try:
    print(hooks.on_page_markdown(pathlib.Path("docs", page).read_text(), where, {}, []))
except PluginError as error:
    sys.exit(str(error))
END
