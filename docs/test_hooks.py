"""What the build of the site must refuse, tried: python3 docs/test_hooks.py (with the Python that runs mkdocs)."""
import html
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import book
import code_pages
import commands
import glossary
import hooks
import kept
import listings
import markdown
import plots
import progress
import road
import shown
import steps
from mkdocs.exceptions import PluginError

DOCS = pathlib.Path(__file__).resolve().parent


def page_of(text, name="layer1/page.md"):
    return hooks.on_page_markdown(text, types.SimpleNamespace(file=types.SimpleNamespace(src_path=name)), {}, [])


class Commands(unittest.TestCase):
    def refused(self, command, why, tag="run"):
        with self.assertRaises(PluginError) as refusal:
            page_of(f"# Title\n\ntext\n\n{{{{ {tag} {command} }}}}\n")
        message = str(refusal.exception)
        self.assertIn("docs/layer1/page.md:5: ", message)
        self.assertIn(why, message)

    def test_nothing_printed(self):
        self.refused("true", "prints nothing")
        self.refused("echo to stderr >&2", "prints nothing")
        self.refused("echo; echo '  '", "prints nothing")
        self.refused("true", "prints nothing", tag="run_with_inf")

    def test_numbers_that_are_none(self):
        for text in ("nan", "0.5 -nan", "NaN", "loss=inf", "-inf", "x: Infinity", "1,inf,2", "nan%"):
            self.refused(f"echo '{text}'", "prints '")

    def test_words_that_are_none_of_these(self):
        for text in ("information", "finance", "nanosecond", "Nancy", "info", "infinite"):
            self.assertIn(text, page_of(f"{{{{ run echo {text} }}}}"))

    def test_opt_out(self):
        self.assertIn("\n-inf\n", page_of("{{ run_with_inf echo -inf }}"))

    def test_what_a_page_says_of_an_output(self):
        self.assertNotIn("expect", page_of("{{ run seq 3 }}\n{{ expect ^2$ }}\n{{ expect 3 }}\n"))
        self.refused("seq 3 }}\n{{ expect ^2$ }}\n{{ expect 4", "does not print '4'")
        self.refused("echo 4 # 5 }}\n{{ expect 5", "does not print '5'")  # of what it prints, not of what was typed
        self.refused("seq 3 }}\n{{ expect 3 }}\n{{ note 2 | Two.", "a note stands below a source")
        self.refused("layer3_nn/src/softmax.c softmax }}\n{{ expect 3", "a note is", tag="source")

    def test_a_command_of_several_lines(self):
        page = page_of("  {{ run echo 4 \\\n  5 | \\\n        cat }}\n  {{ expect ^4 5$ }}\n")
        self.assertEqual(page, "  ```console\n  $ echo 4 \\\n      5 | \\\n      cat\n  4 5\n  ```\n")
        self.refused("echo 4 # \\\n5 }}\n{{ expect 4 }}\n{{ expect #", "does not print '#'")
        self.assertIn("\n$ echo nan \\\n    >/dev/null; echo 1\n1\n", page_of("{{ run echo nan \\\n>/dev/null; echo 1 }}"))

    def test_the_copy_button_gives_the_command_alone(self):
        """The theme copies a block's text without what is hidden under [data-md-copying]."""
        sheet = (DOCS / "assets/strata.css").read_text(encoding="utf-8")
        hidden = re.search(r"^code\[data-md-copying\] :is\(([.\w, ]+)\) \{ display: none; \}", sheet, re.M)
        self.assertIsNotNone(hidden)
        kinds = "|".join(kind.strip(" .") for kind in hidden.group(1).split(","))
        page = page_of("{{ run printf '%s\\n' one \\\n'(two)' '# three' | \\\ncat }}")
        block = markdown.markdown(page, extensions=["pymdownx.superfences", "pymdownx.highlight"])
        self.assertIn("# three</span>", block)
        left = re.sub(rf'<span class="(?:{kinds})\b[^"]*">.*?</span>', "", re.search(r"<code>(.*)</code>", block, re.S).group(1), flags=re.S)
        self.assertEqual(html.unescape(re.sub(r"<[^>]+>", "", left)).strip(), "printf '%s\\n' one \\\n    '(two)' '# three' | \\\n    cat")

    def test_tables_slide_and_their_sentences_wrap(self):
        """A phone shows 45 columns; a row that is longer slides, and a sentence among rows goes on beneath its beginning."""
        option = "  --quiet                no status line on stderr, and no other line"
        dots = "  --shares A:B:...       how much of the model each machine computes"
        rows = ["row 1 -0.0 -0.0 -0.0  0.4  1.2  1.9  0.4  1.2  1.9", "    1 -> 2   multiply these words   8256 bytes: 2048 numbers"]
        sentence = "   A sentence has no columns.  It may be as long as it likes to be."
        page = page_of("{{ run printf '" + "\\n".join(rows + [option, dots, sentence, "short  enough"]) + "' }}")
        block = hooks.wrap_sentences(markdown.markdown(page, extensions=["pymdownx.superfences", "pymdownx.highlight"], extension_configs={"pymdownx.highlight": {"pygments_lang_class": True}}))
        self.assertEqual(re.findall(r'<span class="go wraps" style="--hang: (\d+)ch">(.*?)</span>', block), [("25", option), ("25", dots), ("3", sentence)])
        self.assertIn(f'<span class="go">{rows[0]}</span>', block)
        self.assertIn("```console\n", page_of(f"{{{{ run echo '{sentence}' | sed 's/  It/ It/' }}}}"))  # without a table all of it wraps

    def test_typed_commands_fit_a_page(self):
        """Listings and outputs come from elsewhere; what is typed into a page is broken where a screen ends."""
        for path in sorted(DOCS.rglob("*.md")):
            for block in re.findall(r"^```.*?\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S):
                self.assertEqual([line for line in block.split("\n") if len(line) > 110], [], path)

    def test_failures(self):
        self.refused("echo partly; false", "fails with 1")
        self.refused("false | cat; echo ok", "fails with 1")
        self.refused("for i in 1 2; do no_such_command_here 2>/dev/null | cksum; done", "fails with 127")
        self.refused("cat /no/such/file 2>/dev/null | cksum || true", "checksum of nothing")

    def test_output_that_goes_on_is_no_failure(self):
        self.assertIn("```console\n$ seq 100000 | head -1\n1\n```", page_of("{{ run seq 100000 | head -1 }}"))

    def test_what_comes_behind_such_output(self):
        self.assertIn("1\nthen\n", page_of("{{ run seq 100000 | head -n 1; echo then }}"))
        self.refused("for i in 1 2; do seq 100000 | head -n 1; false; done", "fails with 1")
        self.refused("echo $(false); x=$(false); echo then", "fails with 1")
        self.refused("(echo a; false; echo b); echo then", "fails with 1")

    def test_a_command_that_takes_too_long(self):
        with unittest.mock.patch.object(commands, "SECONDS", 1):
            self.refused("sleep 5; echo late", "takes more than 1 seconds: sleep 5; echo late\nOn a slow machine: RUN_SECONDS=")

    def test_the_desk_is_not_the_builders(self):
        with tempfile.TemporaryDirectory() as desk:
            (pathlib.Path(desk) / "3.6.txt").write_text("ANSWER: 1\n")
            with unittest.mock.patch.dict(os.environ, DESK=desk):
                self.assertRegex(page_of("{{ run exercises/desk menu 3.6 }}"), "3.6 .* not started")

    def test_tag_unknown(self):
        self.refused("x", "no tag 'rum'", tag="rum")


class Moving(unittest.TestCase):
    FRAMES = 'picture,slider,low,high,step,start\na,t,0,1,0.1,0.5\nb,"u, v",0,9,1,3\n# a\nx,y\n1,"</script>"\n# b\nx\n7\n'

    def test_the_first_frame_is_in_the_page(self):
        with unittest.mock.patch.object(hooks, "printed", return_value=self.FRAMES):
            page = page_of("{{ moving b | A caption. }}")
        trace = re.search(r'data-moving="b"><link [^>]+><span data-trace="(\w+)">', page).group(1)
        self.assertEqual(json.loads(hooks.traces[trace]), {"sliders": [{"picture": "b", "slider": "u, v", "low": "0", "high": "9", "step": "1", "start": "3"}], "frame": [{"x": "7"}]})
        self.assertIn("playground/moving/b.js", page)
        self.assertIn("A caption.", page)

    def test_a_picture_that_is_none(self):
        with unittest.mock.patch.object(hooks, "printed", return_value=self.FRAMES), self.assertRaisesRegex(PluginError, "docs/layer1/page.md:1: no picture 'c'"):
            page_of("{{ moving c | A caption. }}")


class Kept(unittest.TestCase):
    """What was printed is shown again until something that the command reads has changed.  A small repository, whose program counts its runs."""
    program = "#!/bin/sh\necho run >>{0}/runs\n[ ! -e {0}/broken ] || exit 1\ncat docs/data.csv; echo ${{STRATA_ISA:-none}}\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for module, name, place in ((kept, "ROOT", ""), (commands, "ROOT", ""), (kept, "CACHE", "build/docs/cache"), (commands, "FRESH", "build/docs/fresh")):
            patch = unittest.mock.patch.object(module, name, self.root / place)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.forget)
        for name in ("docs/data.csv", "docs/other.csv", "layer5_models/models/a.gguf", "layer5_models/src/a.c", "Makefile"):
            self.put(name, "first\n")
        self.put("build/bin/strata", self.program.format(self.root)).chmod(0o755)

    def put(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)
        return self.root / name

    def forget(self):
        kept.forget()
        commands.fresh.cache_clear()

    def runs(self, page="{{ run strata docs/data.csv }}"):
        """How often the page ran the program."""
        self.forget()
        (self.root / "runs").unlink(missing_ok=True)
        self.shown = page_of(page)
        return len((self.root / "runs").read_text().split()) if (self.root / "runs").exists() else 0

    def test_nothing_has_changed(self):
        self.assertEqual([self.runs() for _ in range(3)], [1, 0, 0])
        self.assertIn("$ strata docs/data.csv\nfirst\nnone\n", self.shown)
        (self.root / "docs/data.csv").touch()  # a time is no content
        self.assertEqual(self.runs(), 0)

    def test_another_program_or_model(self):
        self.runs()
        for name, text in (("build/bin/strata", self.program.format(self.root) + "echo new\n"), ("layer5_models/models/a.gguf", "second")):
            self.put(name, text)
            self.assertEqual([self.runs(), self.runs()], [1, 0], name)
        self.assertIn("none\nnew\n", self.shown)

    def test_another_page(self):
        self.runs()
        self.assertEqual(self.runs("Other words.\n\n{{ run strata docs/data.csv }}\n"), 0)
        self.assertEqual(self.runs("{{ run strata docs/data.csv; strata }}"), 2)
        self.assertEqual(self.runs("{{ run strata docs/data.csv }}\n\n{{ run strata -x docs/data.csv }}"), 1)

    def test_another_data_file(self):
        self.runs()
        self.put("docs/other.csv", "second\n")  # not that of this command
        self.assertEqual(self.runs(), 0)
        self.put("docs/data.csv", "second\n")
        self.assertEqual([self.runs(), self.runs()], [1, 0])
        self.assertIn("second\nnone\n", self.shown)
        self.runs("{{ run strata docs }}")
        self.put("docs/other.csv", "third\n")  # in a folder that is named
        self.assertEqual(self.runs("{{ run strata docs }}"), 1)

    def test_another_environment(self):
        self.runs()
        with unittest.mock.patch.dict(os.environ, STRATA_ISA="scalar"):
            self.assertEqual([self.runs(), self.runs()], [1, 0])
            self.assertIn("first\nscalar\n", self.shown)
        with unittest.mock.patch.dict(os.environ, PROMPT="of a make above"):  # is not seen
            self.assertEqual(self.runs(), 0)

    def test_another_source(self):
        building, plain = "{{ run : make it; strata }}", "{{ run strata }}"
        self.assertEqual([self.runs(building), self.runs(plain)], [1, 1])
        self.put("layer5_models/src/a.c", "second\n")
        self.assertEqual([self.runs(building), self.runs(plain)], [1, 0])

    def test_a_failure_is_not_kept(self):
        self.put("broken", "")
        for _ in range(2):
            with self.assertRaisesRegex(PluginError, "fails with 1: strata"):
                self.runs()
            self.assertEqual((self.root / "runs").read_text(), "run\n")
        (self.root / "broken").unlink()
        self.assertEqual([self.runs(), self.runs()], [1, 0])

    def test_a_damaged_entry(self):
        self.runs()
        (entry,) = kept.CACHE.iterdir()
        whole = entry.read_bytes()
        for damage in (b"", whole[:-3], whole.replace(b"first", b"worst"), b"\xff" + whole, whole[65:], b"\n" + whole):
            entry.write_bytes(damage)
            self.assertEqual(self.runs(), 1, damage)
            self.assertIn("first\nnone\n", self.shown)

    def test_files_of_the_command_above(self):
        """A page makes a file and reads it; another page does not find it."""
        both = "{{ run strata > build/x; cat build/x }}\n\n{{ run wc -l build/x }}"
        self.assertEqual(self.runs(both), 2)
        self.assertRegex(self.shown, "2 build/x")
        self.assertEqual(self.runs(both), 0)
        with self.assertRaisesRegex(PluginError, "fails with 1"):
            self.runs("{{ run wc -l build/x }}")

    def test_only_files_that_git_knows(self):
        self.put("docs/forgotten.csv", "text\n")
        for call in (["init", "-q"], ["add", "docs/data.csv", "layer5_models", "Makefile"]):
            subprocess.run(["git", *call], cwd=self.root, check=True)
        self.assertEqual(self.runs(), 1)
        with self.assertRaisesRegex(PluginError, "fails with 1: cat docs/forgotten.csv"):
            self.runs("{{ run cat docs/forgotten.csv }}")

    def test_a_step(self):
        out, made = self.root / "out", []

        def step(key, text="text"):
            return kept.step("name", key, [out], lambda: (made.append(key), out.write_text(text)))

        self.assertEqual([step("a"), step("a"), step("b"), step("b")], [True, False, True, False])
        out.write_text("damaged")
        self.assertEqual([step("b"), step("b")], [True, False])
        out.unlink()
        self.assertEqual([step("b"), step("b")], [True, False])
        with self.assertRaises(OSError):
            kept.step("name", "b2", [out], lambda: open(self.root / "none"))
        self.assertEqual([step("b"), made], [True, ["a", "b", "b", "b", "b"]])


class FigureKeys(unittest.TestCase):
    """What a figure is drawn again for."""

    def changes(self, changed, **env):
        real, names = kept.contents, steps.shown()
        with unittest.mock.patch.dict(os.environ, env), unittest.mock.patch.object(kept, "sources", lambda: "new" if changed == "sources" else ""):
            with unittest.mock.patch.object(kept, "contents", lambda name: "new" if name == changed else real(name)):
                return {name for name in names if steps.figure_key(name) != self.before[name]}

    def setUp(self):
        with unittest.mock.patch.object(kept, "sources", lambda: ""):
            self.before = {name: steps.figure_key(name) for name in steps.shown()}

    def test_each_for_what_it_reads(self):
        every = set(steps.shown())
        self.assertEqual(self.changes("nothing"), set())
        self.assertEqual(self.changes("docs/figures/data/hot.csv"), {"hot"})
        self.assertEqual(self.changes("docs/figures/data/frontier.csv"), {"frontier", "variety", "odds"} & every)
        self.assertEqual(self.changes("docs/figures/data/best.csv"), {"price"} & every)
        self.assertEqual(self.changes("docs/figures/owner.gp"), {"owner"})
        self.assertEqual(self.changes("docs/figures/owner.claims"), {"owner"})
        self.assertEqual(self.changes("sources"), {"heads", "words", "lens", "errors", "turning"} & every)
        self.assertEqual(self.changes("docs/figures/data/costs-card.txt"), {"waste", "pieces", "latency"} & every)
        for all_of_them in ("docs/figures/style.gp", "docs/assets/look.css", "docs/figures/make.sh", "docs/figures/claims.awk", "layer5_models/models"):
            self.assertEqual(self.changes(all_of_them), every)
        program = self.changes("build/bin/strata")
        self.assertLess({"kept", "bends", "effects", "order", "load", "fair", "waste", "guess", "price", "speed", "loss", "lens"} & every, program)
        self.assertFalse({"owner", "roles", "frontier", "hot"} & program)
        self.assertEqual(self.changes("nothing", SPEED_SECONDS="9"), every)


class Answers(unittest.TestCase):
    """What an exercise asks for is folded away; a core page is about that code, and folds it below the exercise alone."""
    code = "{{ source layer3_nn/src/softmax.c softmax }}\n"

    def page(self, kind, functions, text=code + "\n{{ exercise 9.1 }}\n", file="layer3_nn/src/softmax.c"):
        row = ["9.1", kind, "a title", "5", "layer3/softmax", file, functions, "-", "a hint"]
        with unittest.mock.patch.object(hooks, "holes", lambda: {"9.1": row}):
            return page_of(text)

    def test_folded_where_it_is_asked_for(self):
        for kind, functions in (("fill", "other,softmax"), ("speed", "softmax"), ("break", "s/a/b/")):
            page = self.page(kind, functions)
            self.assertRegex(page, r'(?m)^\?\?\? example "Show ours: `softmax` \(exercise 9\.1 asks for yours\)"\n\n    ```c title')
            self.assertNotRegex(page, r"(?m)^void softmax")

    def test_open_on_a_core_page(self):
        row = ["9.1", "fill", "a title", "5", "layer3/softmax", "layer3_nn/src/softmax.c", "softmax", "-", "a hint"]
        with unittest.mock.patch.object(hooks, "holes", lambda: {"9.1": row}):
            above = page_of(self.code + "\n{{ exercise 9.1 }}\n", "layer3/softmax.md")
            below = page_of("{{ exercise 9.1 }}\n\n" + self.code, "layer3/softmax.md")
        self.assertRegex(above, r"(?m)^void softmax")
        self.assertNotRegex(below, r"(?m)^void softmax")
        self.assertIn("Show ours: `softmax`", below)

    def test_open_elsewhere(self):
        for page in (self.page("fill", "softmax", self.code), self.page("fill", "other"), self.page("fill", "softmax", file="layer3_nn/src/norm.c")):
            self.assertRegex(page, r"(?m)^void softmax")


class Notes(unittest.TestCase):
    """Numbers on the lines of a listing, sentences beneath, and what is left out marked."""
    file = "layer3_nn/src/softmax.c"

    def shown(self, *notes, tag="source", arguments=f"{file} softmax", indent=""):
        lines = [f"{{{{ {tag} {arguments} }}}}", *(f"{{{{ note {note} }}}}" for note in notes)]
        return page_of("\n".join(indent + line for line in lines) + "\n")

    def rendered(self, text):
        from markdown import Markdown
        page = types.SimpleNamespace(file=types.SimpleNamespace(src_path="layer1/page.md"))
        extensions = ["pymdownx.superfences", "pymdownx.highlight", "pymdownx.details"]
        return hooks.on_page_content(Markdown(extensions=extensions).convert(text), page, {}, [])

    def test_a_line_and_its_sentence(self):
        for indent in ("", "    "):
            text = self.shown("vector_max( | The *largest*.", "scale = | Then, not before.", indent=indent)
            page = self.rendered(("??? note\n\n" if indent else "") + text)
            self.assertRegex(page, r'<a class="mark" id="mark-1-1" href="#note-1-1" data-n="1"[^>]*></a>.*vector_max</span>')
            self.assertRegex(page, r'<ol class="notes">\s*<li><a class="note" id="note-1-1" href="#mark-1-1"[^>]*></a>The <em>largest</em>.</li>')
            self.assertIn('id="note-1-2"', page)
            self.assertNotRegex(page, "[\ue000-\uf8ff]")

    def test_every_note_of_the_pages_has_its_line(self):
        """Told here in a second, and not after the figures are drawn."""
        problems = []
        for file in DOCS.rglob("*.md"):
            for _, tag, arguments, below in hooks.TAG.findall(file.read_text()):
                try:
                    if below and tag not in ("run", "run_with_inf"):  # what is expected of a run is seen when it is run
                        listings.with_notes(hooks.TAGS[tag](arguments), listings.notes_of(below, tag), 1)
                except PluginError as problem:
                    problems.append(f"{file.relative_to(DOCS)}: {problem}")
        self.assertEqual(problems, [])

    def test_other_lists_stay(self):
        self.assertNotIn("notes", self.rendered(self.shown() + "\n1. one\n2. two\n"))

    def test_two_listings_of_a_page(self):
        page = self.rendered(page_of("{{ source layer3_nn/src/softmax.c softmax }}\n{{ note vector_max( | One. }}\n\n" * 2))
        self.assertIn('id="note-1-1"', page)
        self.assertIn('id="note-2-1"', page)

    def refused(self, why, *notes, **listing):
        with self.assertRaises(PluginError) as refusal:
            self.shown(*notes, **listing)
        self.assertIn("docs/layer1/page.md:1: ", str(refusal.exception))
        self.assertIn(why, str(refusal.exception))

    def test_refusals(self):
        self.refused("0 lines of the listing have 'no such text'", "no such text | A sentence.")
        self.refused("lines of the listing have 'out'", "out | Which one?")
        self.refused("belongs above", "scale = | Second.", "vector_max( | First.")
        self.refused("two notes on the line", "vector_max( | First.", "vector_exp( | Second.")
        self.refused("a note is {{", "vector_max( no sentence")
        self.refused("not a run", "x | A sentence.", tag="run", arguments="echo x")
        self.refused("no tag 'note'", arguments="x | alone", tag="note")

    def test_a_line_empty_below(self):
        with self.assertRaisesRegex(PluginError, "page.md:2: leave a line empty"):
            page_of(f"{{{{ source {self.file} softmax }}}}\n{{{{ note vector_max( | The largest. }}}}\nText.\n")

    def test_a_type_on_one_line(self):
        text = self.shown(arguments="layer4_transformer/include/block.h Wiring Block")
        self.assertEqual(text.count("\nstruct Block {"), 1)

    def test_order_and_gaps(self):
        text = self.shown(arguments="layer3_nn/src/loss.c cross_entropy log_sum_exp")
        self.assertLess(text.index("double log_sum_exp("), text.index("double cross_entropy("))
        self.assertNotIn('class="gap"', self.rendered(text))
        page = self.rendered(self.shown(arguments="layer4_transformer/src/attention.c attention_slope attention"))
        self.assertRegex(page, r'<a class="gap" href="../code/layer4_transformer/src/attention.c.html#L\d+" data-n="\d+"></a>')


class Road(unittest.TestCase):
    def test_every_exercise_is_on_a_page(self):
        shown = {number for page in road.pages().values() for number in re.findall(r"^ *\{\{ exercise (\S+) \}\}$", page.text, re.M)}
        self.assertEqual(sorted(shown), sorted(hooks.holes()))
        for number, row in hooks.holes().items():
            self.assertIn(row[4] + ".md", road.pages(), f"exercise {number}")

    def test_every_page_is_in_the_navigation_once(self):
        written = {str(file.relative_to(DOCS)) for file in DOCS.rglob("*.md")}
        self.assertEqual(written, set(road.pages()))

    def test_the_core(self):
        core = road.core()
        self.assertLess(20, len(core))
        self.assertLess(len(core), 32)
        self.assertEqual([page.layer for page in core], sorted(page.layer for page in core), "through the layers, from 1 to 6")
        self.assertEqual({page.layer for page in core}, set(range(1, 7)))
        for page in core:
            self.assertTrue(road.question_of(page), f"{page.path} opens without a question")

    def test_the_table_of_a_layer(self):
        table = page_of("{{ road layer3 }}")
        self.assertIn("| [Softmax](../layer3/softmax.md) | Scores of 2, 1 and 0. How likely is each? | ", table)
        for page in road.pages().values():
            if page.layer == 3 and page.section:
                self.assertEqual(table.count(f"](../{page.path})"), 1)
        with self.assertRaisesRegex(PluginError, "page.md:1: no road 'layer7'"):
            page_of("{{ road layer7 }}")

    def test_the_map(self):
        text = (DOCS / "map.md").read_text()
        self.assertLessEqual(len(re.sub(r"\]\([^)]*\)|\{\{.*?\}\}", "", text).split()), 300)
        table = page_of("{{ road map }}", "map.md")
        for page in road.core():
            self.assertIn(f"[{page.title}](./{page.path})", table)

    def test_the_line_under_a_title(self):
        holes, core = hooks.holes(), road.core()
        second = road.line(core[1].path, holes, "../")
        for there in (f">Core</b> 2 of {len(core)} · about ", f'before: <a href="{road.href(core[0], "../")}">', f'next: <a href="{road.href(core[2], "../")}">', "../map.html"):
            self.assertIn(there, second)
        self.assertIn(f'before: <a href="{road.WAY_IN[:-3]}.html">', road.line(core[0].path, holes, ""))
        self.assertIn('next: <a href="mine/index.html">', road.line(core[-1].path, holes, ""))
        self.assertIn("<b>Deeper: Memory</b> · the core of this layer: <a", road.line("layer4/pages.md", holes, "../"))
        for path in ("index.md", "map.md", "layer4/index.md", "appendix/site.md", "layer1/none.md"):
            self.assertEqual(road.line(path, holes, ""), "")


class Search(unittest.TestCase):
    def test_the_index_as_a_script_with_whole_titles(self):
        with tempfile.TemporaryDirectory() as folder:
            index = pathlib.Path(folder) / "search_index.json"
            index.write_text('{"docs": [{"location": "layer6/cuts.html", "title": "Cuts"}, {"location": "layer6/cuts.html#by-hand", "title": "By hand"},'
                             '{"location": "appendix/papers.html#x", "title": "Papers"}]}')
            hooks.write_index(index)
            self.assertIn('"title":"' + road.title_of("layer6/cuts.md") + " (nucleus sampling", index.read_text())
            self.assertIn('"title":"By hand"', index.read_text())
            self.assertNotIn("Papers", index.read_text())
            self.assertEqual(index.with_suffix(".js").read_text(), f"var __index = {index.read_text()};\n")

    def test_before_the_script_of_the_theme(self):
        page = '<script src="../assets/javascripts/bundle.1.min.js"></script>'
        self.assertEqual(hooks.with_search(page, "../").split("</script>")[0], '<script src="../assets/disk.js">')
        with self.assertRaisesRegex(PluginError, "no script 'bundle'"):
            hooks.with_search("<p>another theme</p>", "../")


class Book(unittest.TestCase):
    def test_its_parts(self):
        core, everything = ([page for _, pages in book.parts(which) for page in pages] for which in ("core", "all"))
        self.assertEqual([page for page in core if page.core], road.core())
        self.assertEqual(len(core), len(road.core()) + 7, "and the way in, and the first page of each layer")
        self.assertEqual(len({page.path for page in everything}), len(everything))
        self.assertEqual(set(road.pages()) - {page.path for page in everything}, book.SCREEN_ONLY)

    def test_a_chapter(self):
        page = road.pages()["layer3/softmax.md"]
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(book, "SITE", pathlib.Path(folder)):
            (book.SITE / "layer3").mkdir()
            (book.SITE / "layer3/softmax.html").write_text(
                '<article class="a"><h1 id="softmax">Softmax<a class="headerlink" href="#softmax">¶</a></h1><p class="road">x</p><a href="norm.html">in</a>'
                '<a class="b" href="norm.html#why">part</a><a href="../layer4/mla.html">away</a><a href="https://x.org/">web</a><a href="#softmax">own</a>'
                '<details><p>open</p></details><svg><g id="as-it-was"></g></svg></article>')
            chapter = book.chapter(page, {"layer3/softmax.md", "layer3/norm.md"})
        for there in ('<section class="chapter" id="layer3-softmax">', '<h1 id="layer3-softmax--softmax">Softmax</h1>', 'href="#layer3-norm">in', 'href="#layer3-norm--why">part',
                      '<span class="away">away</span>', '<a href="https://x.org/">web</a>', 'href="#layer3-softmax--softmax">own', "<details open>", 'id="as-it-was"'):
            self.assertIn(there, chapter)
        self.assertNotIn('class="road"', chapter)

    def test_where_places_lie(self):
        pdf = ("1 0 obj\n<</Type /Catalog /Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type /Pages /Kids [3 0 R 4 0 R]>>\nendobj\n3 0 obj\n<</Type /Page>>\nendobj\n"
               "4 0 obj\n<</Type /Page>>\nendobj\n5 0 obj\n<</layer3-norm [4 0 R /XYZ 0 8 0] /start [3 0 R /XYZ 0 8 0]>>\nendobj\n")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.pdf").write_text(pdf)
            self.assertEqual(book.pages_of(pathlib.Path(folder) / "a.pdf"), ({"layer3-norm": 2, "start": 1}, 2))

    def test_no_browser(self):
        with unittest.mock.patch.object(book, "BROWSERS", ("no-such-browser",)), unittest.mock.patch.dict(os.environ, CHROMIUM=""):
            with self.assertRaisesRegex(book.Missing, "Chromium, which is missing. Install: "):
                book.browser()


class Progress(unittest.TestCase):
    def test_what_it_says(self):
        line = progress.Line("figures", 38)
        line.done = 19
        self.assertEqual(line.text(100), "figures: 19 of 38, 1:40, about 1:40 left")
        self.assertEqual(progress.Line("clang").text(61), "clang: 1:01")

    def test_a_short_step_says_nothing(self):
        out = io.StringIO()
        with progress.Line("short", out=out):
            pass
        with unittest.mock.patch.object(progress, "SECONDS", 0.01), progress.Line("long", out=out):
            time.sleep(0.1)
        self.assertNotIn("short", out.getvalue())
        self.assertIn("docs: long: 0:00\n", out.getvalue())
        self.assertIn("docs: long: 0:00, done\n", out.getvalue())


class Files(unittest.TestCase):
    """Pages and files know each other."""

    def test_every_public_header_has_a_page(self):
        """Shown there, named, or in the table of files of its layer; for extras as well."""
        self.assertEqual([header for header in shown.headers().values() if header not in shown.pages_of()], [])

    def test_a_page_and_its_files(self):
        self.assertEqual(shown.files_of("layer3/softmax.md")[0], "layer3_nn/include/softmax.h", "the header, though only the source is shown")
        foot = hooks.files_at_foot("layer3/softmax.md")
        for there in ("code/layer3_nn/include/softmax.h.html", "code/layer3_nn/src/softmax.c.html", 'storey core">core', '<a href="#exercise-3.1">3.1</a>'):
            self.assertIn(there, foot)
        self.assertIn("<span id='exercise-3.1'></span>", page_of("{{ exercise 3.1 }}"))
        self.assertIn('storey extras">extras', hooks.files_at_foot("layer4/mla.md"))

    def test_a_file_and_its_pages(self):
        bar = code_pages.bar_of("layer3_nn/include/softmax.h", [("3.1", "layer3/softmax")])
        self.assertIn('<a href="../../../layer3/softmax.html">Softmax</a>', bar)
        self.assertIn('<a href="../../../layer3/softmax.html#exercise-3.1">3.1</a>', bar)
        self.assertIn(bar, code_pages.render("layer3_nn/include/softmax.h", bar))

    def test_what_is_core(self):
        self.assertEqual([shown.storey(f) for f in ("layer1_tensor/src/a.c", "layer1_tensor/include/a.h", "layer1_tensor/extras/include/a.h", "docs/hooks.py")],
                         ["core", "core", "extras", None])

    def test_the_marks_of_the_navigation(self):
        page = types.SimpleNamespace(file=types.SimpleNamespace(src_path="layer3/softmax.md"), url="layer3/softmax.html")
        nav = '<a href="%s" class="md-nav__link">'
        marked = {href: 'class="core md' in hooks.marked(nav % href, page) for href in ("./", "norm.html", "activation.html", "../layer4/attention.html", "../index.html")}
        self.assertEqual(list(marked.values()), [True, True, False, True, False])


class Links(unittest.TestCase):
    def content(self, html):
        page = types.SimpleNamespace(file=types.SimpleNamespace(src_path="layer1/page.md"))
        return hooks.on_page_content(html, page, {}, [])

    def test_papers(self):
        self.assertEqual(self.content("<p>Su 2021, arXiv:2104.09864.</p>"),
                         '<p>Su 2021, <a href="https://arxiv.org/abs/2104.09864">arXiv:2104.09864</a>.</p>')
        self.assertIn('href="https://doi.org/10.1145/1356052.1356053"', self.content("doi:10.1145/1356052.1356053: the loops"))
        for kept in ('<a href="x">arXiv:2104.09864</a>', '<img alt="arXiv:2104.09864">'):
            self.assertEqual(self.content(kept), kept)

    def test_files(self):
        html = self.content('<span class="filename">docs/hooks.py:7</span>')
        self.assertEqual(html, '<span class="filename"><a href="../code/docs/hooks.py.html#L7">docs/hooks.py:7</a></span>')
        self.assertIn('softmax.c:7</a> <small class="storey core">core</small></span>', self.content('<span class="filename">layer3_nn/src/softmax.c:7</span>'))
        self.assertEqual(self.content('<span class="filename">no/file.c:7</span>'), '<span class="filename">no/file.c:7</span>')

    def test_a_number_keeps_its_sign(self):
        self.assertEqual(self.content('<p title="5 %">95 % of <code>5 %</code> and x %</p><pre>5 %</pre>'),
                         '<p title="5 %">95\u00a0% of <code>5 %</code> and x %</p><pre>5 %</pre>')

    def test_no_backslash_is_shown_in_a_table(self):
        """Code in a table shows the backslash of an escaped bar: such code is written <code>...&#124;...</code>."""
        head = "|" + 20 * " a |" + "\n|" + 20 * "---|" + "\n"
        for path in DOCS.rglob("*.md"):
            for line in path.read_text(encoding="utf-8").split("\n"):
                if line.startswith("|") and "\\|" in line:
                    row = markdown.markdown(head + line, extensions=["tables"])
                    self.assertEqual([code for code in re.findall("<code>.*?</code>", row) if "\\|" in code], [], path)

    def test_output_is_no_prompt(self):
        page = markdown.markdown("```console\n$ echo\nmin_p:0.05  99.0%  5\n```", extensions=["fenced_code", "codehilite"])
        self.assertEqual(re.findall(r'class="gp">([^<]*)<', page), ["$ "])

    def test_line_and_outside(self):
        text = page_of("{{ line docs/hooks.py def run(command) }} and [it](../../tests/check.sh)")
        self.assertRegex(page_of("{{ line docs/hooks.py def run(command) }}"), r'^<a href="\.\./code/docs/hooks.py.html#L\d+"><code>docs/hooks.py:\d+</code></a>$')
        self.assertIn('<a href="../code/tests/check.sh.html">it</a>', text)
        self.assertIn('<a href="../code/tests/check.sh.html"><code>tests/check.sh</code></a>', page_of("see [check.sh](../../tests/check.sh)"))

    def test_copies_have_their_lines(self):
        copy = code_pages.render("layer6_inference/src/samplers/draw.c")
        self.assertIn('id="L1"', copy)
        self.assertIn('href="../../../../code/layer6_inference/include/stage.h.html">&quot;stage.h&quot;</a>', copy)


class Terms(unittest.TestCase):
    """The glossary, and the links to it."""
    def link(self, page):
        return glossary.link(page, "../")

    def test_first_mention_becomes_a_link(self):
        page = self.link("<h1>Cuts</h1><p>Logits: a logit is a score.</p>")
        self.assertRegex(page, r'<p><a class="term" href="\.\./appendix/glossary\.html#logit" title="[^"<>]+">Logits</a>: a logit is')
        self.assertIn(">KV cache</a>", self.link("<p>the KV cache</p>"))
        self.assertIn(">KV\ncache</a>", self.link("<p>the KV\ncache</p>"))
        self.assertIn(">top-p</a>", self.link("<p>with top-p, then</p>"))

    def test_what_is_no_plain_text_stays(self):
        for page in ('<a href="x">a logit</a>', "<code>logit</code>", "<pre><span>logit</span></pre>", "<h2>A logit</h2>",
                     '<span class="arithmatex">\\(logit\\)</span>', '<p class="admonition-title">A logit</p>', '<img alt="a logit">',
                     "<svg><text>logit</text></svg>", "<summary>logit</summary>", "<th>logit</th>", "<blockquote><p>A logit?</p></blockquote>",
                     "<!-- logit -->", "logit-like top-logit logitic", "<h1>The logit</h1><p>A logit</p>"):
            self.assertEqual(self.link(page), page)
        self.assertIn(">logit</a>", self.link("<pre>logit</pre><p>logit</p>"))

    def test_the_longest_name(self):
        self.assertIn("#chain-rule", self.link("<p>the chain rule</p>"))
        self.assertNotIn("#chain\"", self.link("<p>the chain rule</p>"))

    def test_entries(self):
        entries = glossary.entries()
        names = [name for entry in entries for name in entry.names]
        self.assertGreater(len(entries), 100)
        self.assertEqual(len(entries), len(re.findall(r"^: ", glossary.FILE.read_text(), re.M)), "an entry without 'See [its page](...).'")
        self.assertEqual(len(names), len(set(names)))
        heads = [entry.names[0].lower() for entry in entries]
        self.assertEqual(heads, sorted(heads))
        for entry in entries:
            self.assertTrue((DOCS / entry.page).is_file(), entry.page)
            self.assertRegex(entry.text, r"^[^.]+(?:\.\w[^.]*)*\. [^.]+(?:\.\w[^.]*)*\.$", f"not two sentences: {entry.names[0]}")

    def test_every_term_is_used(self):
        found, files = set(), [file for file in DOCS.glob("**/*.md") if file != glossary.FILE]
        for file in files:
            text = re.sub(r"\{\{ (?:note .+? \| (.+)|.+?) \}\}$", r"\1", file.read_text(), flags=re.M)
            page = markdown.markdown(text, extensions=["tables", "pymdownx.superfences", "pymdownx.arithmatex", "pymdownx.details"])
            title = re.search(r"<h1.*?</h1>", page, re.S)
            found |= glossary.mentions(page) | (glossary.mentions(title.group(0), plain_only=False) if title else set())
        self.assertEqual([entry.names[0] for entry in glossary.entries() if entry not in found], [])

    def test_formulas_are_closed(self):
        page = '<script type="math/tex">x_{<t} p</script><p>An arena.</p>'
        self.assertEqual([plain for part, plain in glossary.plain_parts(page) if "arena" in part], [True])

    def test_anchors(self):
        self.assertEqual(glossary.anchors("<dt>Adam, AdamW</dt><dt>other</dt>"), '<dt id="adam">Adam <small>AdamW</small></dt><dt>other</dt>')


class Figures(unittest.TestCase):
    def test_a_figure_is_part_of_its_page(self):
        """In the colours of the scheme, with ids of its own, and with what it found for who cannot see it."""
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(hooks, "ROOT", pathlib.Path(folder)):
            (hooks.ROOT / "build/plots").mkdir(parents=True)
            (hooks.ROOT / "build/plots/odds.svg").write_text(
                '<svg viewBox="0 0 90 50"><title>Gnuplot</title><g id="gnuplot_canvas"><rect x="0" y="0" width="90" height="50" fill="#ffffff"/>'
                "<defs><circle id='gpPt5' r='1'/>\n<circle id='gpPt6' r='2'/></defs><g fill=\"none\">\n</g><g color=\"black\">"
                "<use xlink:href='#gpPt5' color='rgb( 11,  98, 196)'/><path stroke='rgb(1,2,3)'/></g></g></svg>")
            html = hooks.on_post_page(hooks.figure("odds | What `temp` does, *all* of it"), None, {})
        self.assertIn(f'aria-label="{plots.findings()["odds"][1]}"', html)
        self.assertIn("<figcaption>What `temp` does", html)
        for there in ("<circle id='odds-gpPt5'", "href='#odds-gpPt5'", "var(--plot-blue)", "rgb(1,2,3)", 'color="var(--plot-ink)"'):
            self.assertIn(there, html)
        for gone in ("gpPt6", "<rect", "Gnuplot", "xlink", '"none"'):
            self.assertNotIn(gone, html)

    def test_every_name_of_a_figure_is_drawn(self):
        """One with a hyphen in it, too: a place that is left empty looks like a page without a figure."""
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(hooks, "ROOT", pathlib.Path(folder)), \
                unittest.mock.patch.object(plots, "number", lambda name, expression: "1"):
            (hooks.ROOT / "build/plots").mkdir(parents=True)
            for name in plots.findings():
                (hooks.ROOT / f"build/plots/{name}.svg").write_text('<svg viewBox="0 0 9 5"><g id="gnuplot_canvas"></g></svg>')
                self.assertIn("<svg", hooks.on_post_page(hooks.figure(f"{name} | What it shows"), None, {}), name)

    def test_every_figure_has_a_finding(self):
        self.assertEqual(sorted(plots.findings()), sorted(file.stem for file in (DOCS / "figures").glob("*.gp") if file.stem not in ("style", "cuts", "policies")))
        for name, row in plots.findings().items():
            self.assertEqual(len(row), 4, name)
        with self.assertRaises(PluginError):
            hooks.figure("nothing | of that name")

    def test_claims_can_be_read(self):
        """A function of claims.awk has no name that a figure's claims use."""
        with tempfile.NamedTemporaryFile("w", suffix=".awk") as over:
            over.write("END { exit }\n")
            over.flush()
            for claims in (DOCS / "figures").glob("*.claims"):
                done = subprocess.run(["awk", "-f", DOCS / "figures/claims.awk", "-f", over.name, "-f", claims, os.devnull], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), claims.name)

    def test_tables_that_no_figure_draws(self):
        """Their claims are asked of the stored numbers; those of a figure when it is drawn."""
        for claims in (DOCS / "figures").glob("*.claims"):
            if not claims.with_suffix(".gp").exists():
                done = subprocess.run(["awk", "-f", DOCS / "figures/claims.awk", "-f", claims, DOCS / f"figures/data/{claims.stem}.csv"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (0, ""), claims.name)

    def test_a_number_in_a_sentence(self):
        row = '"min_p:0.05",min_p,300,0.9867,0,0.0013\n'
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(plots, "FOLDER", pathlib.Path(folder) / "docs/figures"):
            (pathlib.Path(folder) / "build/plots").mkdir(parents=True)
            shutil.copytree(DOCS / "figures", plots.FOLDER, ignore=lambda _, names: [n for n in names if not n.endswith((".awk", "variety.claims"))])
            (pathlib.Path(folder) / "build/plots/variety.csv").write_text("# made by\nchain,study,texts,valid,kept,kl_told\n" + row)
            self.assertEqual(page_of('{{ figure x }} has {{ number variety percent(value("min_p:0.05", "valid")) }} % of it'), "{{ figure x }} has 99 % of it")
            for wrong in ('percent(value("min_p:0.06", "valid"))', 'percent(value("min_p:0.05", "kept"))', "percent(", "v"):
                with self.assertRaisesRegex(PluginError, r"docs/layer1/page.md:2: .* of variety is no number"):
                    page_of(f"\n{{{{ number variety {wrong} }}}}")
            with self.assertRaisesRegex(PluginError, "no speed.claims"):
                page_of("{{ number speed 1 }}")

    def make(self, name, csv):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "strata"
            program.write_text(f"#!/bin/sh\ncat <<'END'\n{csv}END\n")
            program.chmod(0o755)
            return subprocess.run([DOCS / "figures" / "make.sh", program, folder, name], capture_output=True, text=True)

    def test_sound(self):
        rows = '"temp:0.5",peaked,1,0.5,0.9\n"temp:0.5",flat,1,0.1,0.2\n'
        for bad, why in (("", "no rows"), ("chain,shape,rank,before,after\n", "no rows"), (rows + '"x",flat,2,nan,0.1\n', "none"),
                         (rows + '"x",flat,2,0.1,-inf\n', "none")):
            done = self.make("order", bad)
            self.assertNotEqual(done.returncode, 0, bad)
            self.assertIn(why, done.stderr)
        good = self.make("order", "chain,shape,rank,before,after\n" + "".join(
            f'"{c}",flat,{i},0.1,0.1\n' for c, n in (("temp:2 then top_p:0.8", 5), ("top_p:0.8 then temp:2", 3), ("temp:0.5 then top_p:0.8", 2), ("top_p:0.8 then temp:0.5", 3))
            for i in range(1, n + 1)))
        self.assertEqual(good.returncode, 0, good.stderr)

    def test_formats(self):
        """SVG, PNG and PDF; anything else is refused by name."""
        for kind, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([DOCS / "figures" / "make.sh", "/bin/true", folder, "odds"], capture_output=True, text=True, env=dict(os.environ, FORMAT=kind))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue((pathlib.Path(folder) / f"odds.{kind}").read_bytes().startswith(start))
        done = subprocess.run([DOCS / "figures" / "make.sh", "/bin/true", "/tmp", "odds"], capture_output=True, text=True, env=dict(os.environ, FORMAT="gif"))
        self.assertIn("FORMAT is 'gif': wanted svg, png or pdf", done.stderr)

    def test_colours(self):
        """No stage shares its colour, and each is legible on its ground in both schemes."""
        text = plots.LOOK.read_text()
        stages = re.findall(r"--stage-(\w+): var\(--plot-(\w+)\)", text)
        self.assertGreater(len(stages), 10)
        self.assertEqual(len({color for _, color in stages}), len(stages))
        values = {name: pair for name, *pair in re.findall(r"--plot-(\w+): light-dark\(#(\w{6}), #(\w{6})\)", text)}

        def light(color):
            parts = [int(color[i:i + 2], 16) / 255 for i in (0, 2, 4)]
            return sum(w * (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4) for w, x in zip((0.2126, 0.7152, 0.0722), parts))

        for name in {color for _, color in stages} | {"ink", "gray"}:
            for color, ground in zip(values[name], values["ground"]):
                a, b = sorted((light(color), light(ground)))
                self.assertGreater((b + 0.05) / (a + 0.05), 4.5, f"{name}: #{color} on #{ground}")

    def test_a_point_above_its_roof(self):
        """Ends the build: the roof is a bound."""
        folder = DOCS / "figures"
        rows = (folder / "data" / "roofline.csv").read_text()
        for text, right in ((rows, True), (re.sub(r"(product,F32,1,0\.4998),[\d.]+", r"\1,99", rows), False)):
            done = subprocess.run(["awk", "-f", folder / "claims.awk", "-f", folder / "roofline.claims"], input=text, capture_output=True, text=True)
            self.assertEqual(done.returncode == 0, right, done.stdout)
            self.assertEqual("under its roof: F32" in done.stdout, not right)

    def test_claims(self):
        """A figure where temperature changes nothing is not what the page says."""
        chains = ("temp:0.25", "temp:0.5", "temp:1", "temp:2")
        rows = "".join(f'"{c}",{shape},{rank},0.02,0.02\n' for c in chains for shape in ("peaked", "flat") for rank in range(1, 41))
        done = self.make("temperature", "chain,shape,rank,before,after\n" + rows)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not in the data", done.stderr)


if __name__ == "__main__":
    unittest.main()
