/* page.js - the playground: a chain on sliders, and what each of its stages does to the next token.
 *
 *     state      prompt, seed, the stages with their values        set by the reader
 *     strata     the libraries (strata.js)                         compute everything
 *
 * chain.js has the stages, their colours and sliders.  Every change becomes a chain in text form, which the library reads; the page draws the trace that it returns. */
document.addEventListener("DOMContentLoaded", async () => {
  const root = document.getElementById("strata-playground");
  if (!root) return;
  const DRAWS = 1000;
  /* Stages whose text is typed into the grammar box: a name and a first example for each. */
  const NOTATIONS = {
    regex: ["regular expression", " (gentle|proud|vain) (fox|owl) named (Ada|Sam)\\."],
    grammar: ["GBNF", 'root ::= animal " named " ("Ada" | "Sam") "."\nanimal ::= " " trait animal | " fox" | " owl"\ntrait ::= "gentle" | "vain"'],
    json_schema: ["JSON Schema", '{"type": "object", "required": ["name", "kind"], "additionalProperties": false, "properties": {\n  "name": {"enum": ["Ada", "Sam"]},\n  "kind": {"type": "string", "maxLength": 12}}}'],
    choice: ["choice", " gentle fox| vain owl| big red bus"],
  };

  let strata;
  try {
    strata = await openStrata(unpackBase64(window.strata.wasm), unpackBase64(window.strata.model));
  } catch (problem) {
    root.textContent = "The library did not start: " + problem.message;
    return;
  }

  /* ------------------------------------------------------------------ stages and state */
  const kinds = kindsOf(strata);

  /* A chain's stages, as the library reads them. */
  function stagesOf(text) {
    strata.chain(text, state.seed);
    return strata.stages();
  }

  const presets = [{ name: "greedy", chain: "greedy", gloss: "always the likeliest" }, ...strata.presets()];
  const asked = new URLSearchParams(location.hash.slice(1) || location.search); // #chain=temp:2,top_p:0.9&prompt=Mia&seed=3&text=29.311, or ? in place of #
  const state = {
    prompt: asked.get("prompt") ?? "Once upon a time there was a",
    seed: seedOf(asked.get("seed") ?? 1),
    stages: [],
    running: false,
  };
  state.stages = stagesOf(strata.presets().find((p) => p.name === "default").chain);

  /* ------------------------------------------------------------------ the parts of the page */
  const prompt = make("textarea", { rows: 2, "aria-label": "prompt", change: begin });
  const seed = make("input", { type: "number", min: 0, max: 4294967295, value: state.seed, "aria-label": "seed", change: () => { seed.value = state.seed = seedOf(seed.value); attempt(() => { strata.chain(textOf(state.stages), state.seed); look(); }); } });
  const chain = make("input", { type: "text", spellcheck: "false", "aria-label": "chain", change: () => setChain(chain.value) });
  const preset = make("select", { "aria-label": "preset", change: () => { setChain(preset.value); preset.value = ""; } },
    make("option", { value: "" }, "a preset…"), ...presets.map((p) => make("option", { value: p.chain }, p.name + ": " + p.gloss)));
  const add = make("select", { "aria-label": "add a stage", change: addStage },
    make("option", { value: "" }, "add a stage…"), ...groupedStages(kinds));
  const filter = make("input", { type: "text", spellcheck: "false", placeholder: "filter", size: 9, "aria-label": "filter the stages", input: () => { add.replaceChildren(add.firstElementChild, ...groupedStages(kinds, filter.value)); add.firstElementChild.textContent = `add a stage… (${add.options.length - 1})`; } });
  const button = (text, act) => make("button", { type: "button", class: "md-button", click: act }, text);
  const go = button("Generate", () => { state.running = !state.running; write(); });
  let later = 0; // timer of the next token
  const notation = make("select", { "aria-label": "notation", change: () => { if (notation.value) rules.value = NOTATIONS[notation.value][1]; setGrammar(); } },
    make("option", { value: "" }, "no grammar"), ...Object.entries(NOTATIONS).map(([stage, [name]]) => make("option", { value: stage }, name)));
  const rules = make("textarea", { rows: 3, spellcheck: "false", "aria-label": "grammar", input: setGrammar });
  const rulesBox = make("label", { class: "pg-wide", hidden: true }, "The text must match (a change restarts it)", rules);
  const cards = make("div", { class: "pg-stages" }), text = make("p", { class: "pg-text" }), trouble = make("p", { class: "pg-trouble", role: "alert" });
  const table = make("div", { class: "pg-table" }), slide = make("p", { class: "pg-slide", hidden: true }, "Scroll the table to the right to see more stages.");
  const second = make("input", { type: "text", spellcheck: "false", placeholder: "temp:1.2", "aria-label": "another chain", change: () => attempt(alsoWith) }), other = make("p", { class: "pg-text", hidden: true });
  const verdict = make("p", { class: "pg-verdict", role: "status" }), command = make("code", { class: "pg-command" });
  prompt.value = state.prompt;
  root.replaceChildren(
    make("div", { class: "pg-row" }, make("label", { class: "pg-wide" }, "Prompt", prompt), make("label", {}, "Seed", seed)),
    make("div", { class: "pg-row" }, make("label", { class: "pg-wide" }, "Chain", chain), preset, filter, add),
    make("div", { class: "pg-row" }, make("label", {}, "Grammar", notation), rulesBox),
    cards, trouble, text, verdict,
    other,
    make("div", { class: "pg-row" }, button("Next token", () => attempt(step)), go, button("Back", () => attempt(back)), button("Restart", begin), button("1,000 draws", () => attempt(drawMany)),
      make("label", { class: "pg-wide" }, "Compare with another chain", second)),
    slide, table,
    make("div", { class: "pg-row" }, button("Copy as command", copyCommand), command));

  /* ------------------------------------------------------------------ what happens */
  function attempt(act) {
    trouble.textContent = "";
    try {
      act();
    } catch (problem) {
      state.running = false;
      trouble.textContent = problem.message.replace(/: there are .*/s, ": “add a stage…” lists them all");
    }
  }

  /* Evaluate the prompt and show what may follow. */
  function begin() {
    state.running = false;
    state.prompt = prompt.value;
    attempt(() => { strata.begin(state.prompt); state.promptTrue = strata.check(false).valid; strata.chain(textOf(state.stages), state.seed); look(); });
  }

  const textOf = (stages) => stages.map((stage) => stage.text).join(",");

  /* Another chain; if the library rejects it, the old one stays. */
  function setChain(text) {
    attempt(() => { state.stages = stagesOf(text); showGrammar(); drawStages(); look(); });
  }

  /* The grammar box becomes the first stage; the text restarts, so that all of it matches. */
  function setGrammar() {
    const others = state.stages.filter((stage) => !NOTATIONS[stage.name]);
    const first = notation.value && rules.value ? [{ text: notation.value + ":" + encodeURIComponent(rules.value) }] : [];
    rulesBox.hidden = !notation.value;
    state.running = false;
    attempt(() => { state.stages = stagesOf(textOf([...first, ...others])); strata.begin(prompt.value); drawStages(); look(); });
    rules.setAttribute("aria-invalid", trouble.textContent !== ""); // then the last valid one stays
  }

  /* The grammar of a stage, without its parameters, as the chain has it: %3A for a colon. */
  const grammarOf = (stage) => stage.text.split(":").slice(1).find((part) => !kinds.get(stage.name).params.some((p) => part.startsWith(p.key + "="))) || "";

  /* The box shows the grammar of the chain. */
  function showGrammar() {
    const stage = state.stages.find((one) => NOTATIONS[one.name]), words = stage ? decodeURIComponent(grammarOf(stage)) : "";
    notation.value = stage ? stage.name : "";
    rulesBox.hidden = !stage;
    if (rules.value !== words) rules.value = words;
  }

  /* New text for one stage; its card stays where it is. */
  function setStage(i, words) {
    attempt(() => {
      const text = [state.stages[i].name, ...words].join(":");
      state.stages[i].text = stagesOf(textOf(state.stages.map((stage, k) => (k === i ? { text } : stage))))[i].text;
      look();
    });
  }

  /* The last stage of a chain selects the token: a new one goes before it, or takes its place. */
  function addStage() {
    const kind = kinds.get(add.value);
    add.value = "";
    setChain(textOf([...state.stages.slice(0, -1), kind.usual, ...(kind.selects ? [] : state.stages.slice(-1))]));
  }

  /* Is the text one of Tiny World's?  So far, or, if the chain ends it here, as a whole. */
  function judge() {
    const ended = strata.ends(strata.chosen()), { valid, reason, place, detail } = strata.check(ended), start = new TextEncoder().encode(state.prompt).length;
    let at = start;
    for (const token of text.querySelectorAll(".pg-token")) {
      const from = at;
      at += +token.dataset.bytes;
      token.classList.toggle("pg-broke", !valid && place < at && (place >= from || (from === start && state.promptTrue)));
    }
    verdict.textContent = valid ? (ended ? "True: Tiny World could have written this story." : "True so far: Tiny World could have written this beginning.") : !state.promptTrue ? `The prompt is not the beginning of a text of Tiny World: ${detail}.` : `Broken (${reason}): ${detail}.`;
  }

  /* Many draws after each stage, beside the probabilities; a change of anything removes them. */
  function drawMany() {
    const spec = strata.spec(), texts = state.stages.map((stage) => stage.text);
    state.running = false;
    try {
      state.draws = Array.from({ length: texts.length + 1 }, (_, k) => {
        strata.chain([...texts.slice(0, k), ...(k < texts.length ? ["draw"] : [])].join(","), state.seed);
        return strata.draws(DRAWS);
      });
    } finally { strata.chain(spec, state.seed); }
    drawTable();
  }
  const drawTable = () => { drawStageTable(table, strata, { draws: state.draws, of: DRAWS, keepFocus, take: (token) => attempt(() => take(token)) }); slide.hidden = table.scrollWidth <= table.clientWidth; };

  /* While generating, the chain only chooses; the trace is made when the browser is idle. */
  let idle = 0;
  const whenIdle = window.requestIdleCallback || ((act) => setTimeout(act, 50));
  function look() {
    state.draws = null;
    if (state.running) {
      strata.choose(), drawText();
      idle ||= whenIdle(() => { idle = 0; if (state.running) attempt(drawTable); });
    } else drawTable(), drawText(), judge();
    chain.value = strata.spec();
    remember();
  }

  /* A text from the address, token by token. */
  function read(words) {
    if (!/^\d+(\.\d+)*$/.test(words)) throw new Error("the text in the address is not valid. Wanted: token ids like 29.311");
    for (const token of words.split(".").map(Number)) {
      if (strata.ends(token)) throw new Error(`the text in the address contains token ${token}, which ends a text`);
      strata.take(token);
    }
  }

  /* Write the state into the address, but not at every step of a slider: browsers limit the rate. */
  let resting = 0;
  function remember() {
    clearTimeout(resting);
    resting = setTimeout(note, 50);
    command.textContent = "strata generate -p " + shellQuoted(state.prompt) + " --chain " + shellQuoted(chain.value) + " --seed " + state.seed;
  }
  function note() {
    const words = new URLSearchParams({ chain: chain.value, prompt: state.prompt, seed: state.seed }), written = strata.written();
    if (second.value) words.set("chain2", second.value);
    if (written.length) words.set("text", written.map((row) => row.token).join("."));
    history.replaceState(null, "", "#" + words);
  }
  function copyCommand() {
    navigator.clipboard?.writeText(command.textContent).catch(() => {});
    getSelection().selectAllChildren(command);
  }

  /* Each token in the colour of its surprisal; a click removes it and all after it. */
  function drawText() {
    const written = strata.written(), sizes = strata.pieces(written.map((token) => +token.token));
    const fork = (i) => attempt(() => { state.running = false; for (let k = written.length; k > i; k--) strata.back(); look(); });
    const pieces = written.map((token, i) => make("button", { type: "button", class: "pg-token", "data-bytes": sizes[i].size, "data-keep": "token " + i, style: `--surprisal: ${Math.min(70, 12 * token.surprisal).toFixed(0)}%`, title: `surprisal ${(+token.surprisal).toFixed(2)} nats. Click to go back to here`, click: () => fork(i) }, token.text));
    keepFocus(() => text.replaceChildren(make("span", { class: "pg-prompt" }, state.prompt), ...pieces, strata.ends(strata.chosen()) ? make("span", { class: "pg-end" }, " ∎ the chain ends the text here") : ""));
  }

  /* As many tokens with another chain, from the same prompt and seed; then the old state again.  Marked: what the other text lacks. */
  function alsoWith() {
    const mine = strata.written(), spec = strata.spec();
    other.hidden = !second.value;
    if (!second.value) return look();
    try {
      strata.chain(second.value, state.seed), strata.begin(state.prompt);
      for (let i = 0; i < Math.max(mine.length, 40); i++) {
        strata.choose();
        if (strata.ends(strata.chosen())) break;
        strata.take(strata.chosen());
      }
      const theirs = strata.written(), { valid, reason, detail } = strata.check(strata.ends(strata.chosen()));
      const [, differs] = strata.lab.differ(mine.map((one) => one.token), theirs.map((one) => one.token));
      other.replaceChildren(make("b", {}, strata.spec() + " "), make("span", { class: "pg-prompt" }, state.prompt), ...theirs.map((one, i) => make("span", { class: differs[i] ? "pg-differs" : "" }, one.text)), make("small", {}, valid ? " True so far." : ` Broken (${reason}): ${detail}.`));
    } finally {
      strata.begin(state.prompt), strata.chain(spec, state.seed);
      mine.forEach((token) => strata.take(+token.token));
      look();
    }
  }

  function take(token) {
    if (strata.ends(token)) {
      if (!state.running) throw new Error("That token ends the text; nothing can follow it.");
      state.running = false;
      return;
    }
    strata.take(token);
    look();
  }

  const step = () => take(strata.chosen());
  const back = () => { strata.back(); look(); };

  function write() {
    go.textContent = state.running ? "Stop" : "Generate";
    clearTimeout(later);
    if (!state.running) { attempt(look); return; }
    attempt(step);
    later = setTimeout(write, 0);
  }

  /* ------------------------------------------------------------------ drawing */

  function slider(i, kind, p) {
    const stage = state.stages[i], { values, name } = stage, { low, high, step } = sliderRange(kind, p);
    const number = make("output", {}, String(values[p.key]));
    const apply = oncePerFrame(() => stage === state.stages[i] && setStage(i, [...(NOTATIONS[name] ? [grammarOf(state.stages[i])] : []), ...Object.entries(values).map(([key, value]) => key + "=" + value)]));
    const input = make("input", { type: "range", min: low, max: high, step, value: values[p.key], "aria-label": name + " " + p.key, input: () => {
      values[p.key] = +(+input.value).toPrecision(4);
      number.textContent = String(values[p.key]);
      apply();
    } });
    return make("label", { class: "pg-slider" }, p.key, input, number);
  }

  function card(stage, i) {
    const kind = kinds.get(stage.name), others = state.stages.filter((other) => other !== stage);
    const move = (by) => setChain(textOf([...others.slice(0, i + by), stage, ...others.slice(i + by)]));
    const words = make("input", { type: "text", value: stage.text.slice(stage.name.length + 1), "aria-label": stage.name + " list", change: () => setStage(i, [words.value]) });
    const small = (sign, what, act, off) => make("button", { type: "button", title: what, "aria-label": what + " " + stage.name, "data-keep": what + " " + stage.name, disabled: off, click: act }, sign);
    const alone = stage.name === "draw" && i === state.stages.length - 1; // a chain that chooses nothing ends with it anyway
    const params = kind.params.filter((p) => p.key !== "keep"), first = params.filter((p, k) => k === 0 || stage.values[p.key] !== p.default_value), more = params.filter((p) => !first.includes(p));
    return make("div", { class: "pg-stage", style: "border-color: " + colorOf(stage.name), title: kind.gloss },
      make("div", { class: "pg-head" }, make("b", {}, stage.name),
        small("◀", "earlier", () => move(-1), i === 0), small("▶", "later", () => move(1), i === state.stages.length - 1),
        small("✕", alone ? "a chain needs a last stage that chooses: cannot remove" : "remove", () => setChain(textOf(others)), alone)),
      ...first.map((p) => slider(i, kind, p)),
      more.length ? make("details", {}, make("summary", {}, "more ▾"), ...more.map((p) => slider(i, kind, p))) : "",
      ...(NOTATIONS[stage.name] ? ["see the box above"] : kind.list ? [words] : []));
  }

  /* Redrawing keeps the focus: on the same button, else the nearest one of its row, else Generate. */
  function keepFocus(drawn) {
    const had = document.activeElement, kept = root.contains(had) && had.dataset.keep;
    drawn();
    if (!kept || had.isConnected) return;
    const still = (name) => [...root.querySelectorAll("[data-keep]:not(:disabled)")].find((e) => e.dataset.keep === name);
    const stage = kept.split(" ").at(-1), before = kept.replace(/\d+$/, (i) => i - 1);
    (still(kept) || still("later " + stage) || still("earlier " + stage) || still(before) || cards.querySelector("button:not(:disabled)") || go).focus();
  }
  const drawStages = () => keepFocus(() => cards.replaceChildren(...state.stages.map(card)));

  drawStages();
  begin();
  if (asked.get("chain")) setChain(asked.get("chain"));
  if (asked.get("text")) attempt(() => { try { read(asked.get("text")); } finally { look(); } });
  if (asked.get("chain2")) second.value = asked.get("chain2"), attempt(alsoWith);
  addEventListener("hashchange", () => location.reload());
});
