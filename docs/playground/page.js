/* page.js - the playground: a chain on sliders, and what each of its stages does to the next token.
 *
 *     state      prompt, seed, the stages with their values        set by the reader
 *     strata     the libraries (strata.js)                         compute everything
 *
 * chain.js has the stages, their colours and sliders.  Every change becomes a chain in text form, which the library reads; the page draws the trace that it returns. */
document.addEventListener("DOMContentLoaded", async () => {
  const root = document.getElementById("strata-playground");
  if (!root) return;
  const SHOWN = 14, ROWS = 48; // rows of the table, and of a stage's trace
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
  state.stages = stagesOf(strata.presets().find((p) => p.name === "balanced").chain); // the program's default

  /* ------------------------------------------------------------------ the parts of the page */
  const prompt = make("textarea", { rows: 2, "aria-label": "prompt", change: begin });
  const seed = make("input", { type: "number", min: 0, max: 4294967295, value: state.seed, "aria-label": "seed", change: () => { seed.value = state.seed = seedOf(seed.value); attempt(() => { strata.chain(textOf(state.stages), state.seed); look(); }); } });
  const chain = make("input", { type: "text", spellcheck: "false", "aria-label": "chain", change: () => setChain(chain.value) });
  const preset = make("select", { "aria-label": "preset", change: () => { setChain(preset.value); preset.value = ""; } },
    make("option", { value: "" }, "a preset…"), ...presets.map((p) => make("option", { value: p.chain }, p.name + ": " + p.gloss)));
  const add = make("select", { "aria-label": "add a stage", change: addStage },
    make("option", { value: "" }, "add a stage…"), ...grouped([...kinds.values()].filter((kind) => kind.alone)));
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
  const command = make("code", { class: "pg-command" });
  prompt.value = state.prompt;
  root.replaceChildren(
    make("div", { class: "pg-row" }, make("label", { class: "pg-wide" }, "Prompt", prompt), make("label", {}, "Seed", seed)),
    make("div", { class: "pg-row" }, make("label", { class: "pg-wide" }, "Chain", chain), preset, add),
    make("div", { class: "pg-row" }, make("label", {}, "Grammar", notation), rulesBox),
    cards, trouble, text,
    other,
    make("div", { class: "pg-row" }, button("Next token", () => attempt(step)), go, button("Back", () => attempt(back)), button("Restart", begin),
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
    attempt(() => { strata.begin(state.prompt); strata.chain(textOf(state.stages), state.seed); look(); });
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

  /* While generating, the chain only chooses; the trace is made when the browser is idle. */
  let idle = 0;
  const whenIdle = window.requestIdleCallback || ((act) => setTimeout(act, 50));
  function look() {
    if (state.running) {
      strata.choose();
      idle ||= whenIdle(() => { idle = 0; if (state.running) attempt(drawTable); });
    } else drawTable();
    chain.value = strata.spec();
    drawText();
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
    if (written.length) words.set("text", written.map((row) => row.token).join("."));
    history.replaceState(null, "", "#" + words);
  }
  function copyCommand() {
    navigator.clipboard?.writeText(command.textContent).catch(() => {});
    getSelection().selectAllChildren(command);
  }

  /* Each token in the colour of its surprisal; a click removes it and all after it. */
  function drawText() {
    const written = strata.written();
    const fork = (i) => attempt(() => { state.running = false; for (let k = written.length; k > i; k--) strata.back(); look(); });
    const pieces = written.map((token, i) => make("button", { type: "button", class: "pg-token", "data-keep": "token " + i, style: `--surprisal: ${Math.min(70, 12 * token.surprisal).toFixed(0)}%`, title: `surprisal ${(+token.surprisal).toFixed(2)} nats. Click to go back to here`, click: () => fork(i) }, token.text));
    keepFocus(() => text.replaceChildren(make("span", { class: "pg-prompt" }, state.prompt), ...pieces, strata.ends(strata.chosen()) ? make("span", { class: "pg-end" }, " ∎ the chain ends the text here") : ""));
  }

  /* As many tokens with another chain, from the same prompt and seed; then the old state again. */
  function alsoWith() {
    const mine = strata.written(), spec = strata.spec();
    other.hidden = !second.value;
    if (!second.value) return;
    try {
      strata.chain(second.value, state.seed), strata.begin(state.prompt);
      for (let i = 0; i < Math.max(mine.length, 40); i++) {
        strata.choose();
        if (strata.ends(strata.chosen())) break;
        strata.take(strata.chosen());
      }
      other.replaceChildren(make("b", {}, second.value + " "), make("span", { class: "pg-prompt" }, state.prompt), strata.text());
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

  /* Rows of the trace, a column for the model and each stage. */
  function columns(rows) {
    const found = [];
    for (const row of rows) {
      if (row.rank === "1") found.push({ stage: row.stage, prob: new Map(), words: [] });
      const column = found.at(-1);
      if (row.kept === "1") column.prob.set(row.token, +row.prob);
      column.words.push(row);
    }
    return found;
  }

  const readable = (word) => word.replace(/\\x0a/g, "↵").replace(/\\x5c/g, "\\").replace(/^ /, "␣") || "(nothing)";

  /* Ask for a few rows per stage; for all of them if a token on display is missing. */
  function drawTable() {
    const told = tokensOf(strata.look(ROWS));
    drawRows(told.all.every((column, place) => column.prob.size === strata.left(place) || told.tokens.every((token) => column.words.some((row) => row.token === token))) ? told : tokensOf(strata.look()));
  }

  function tokensOf(rows) {
    const all = columns(rows), chosen = String(strata.chosen());
    const shown = new Map();
    const show = (row) => shown.size < SHOWN && shown.set(row.token, row.text);
    const picked = rows.find((row) => row.token === chosen);
    all.slice(-2)[0].words.filter((row) => row.kept === "1").slice(0, SHOWN / 2).forEach(show);
    all[0].words.slice(0, SHOWN).forEach(show);
    if (!shown.has(chosen)) shown.set(chosen, picked?.text);
    const tokens = [...shown.keys()].sort((a, b) => (all[0].prob.get(b) || 0) - (all[0].prob.get(a) || 0));
    return { all, shown, tokens };
  }

  function drawRows({ all, shown, tokens }) {
    const last = all.at(-1), chosen = String(strata.chosen());
    const largest = Math.max(...all.flatMap((column) => tokens.map((token) => column.prob.get(token) || 0)));
    const bar = (column, token) => {
      const p = column.prob.get(token);
      if (p === undefined) return make("td", { class: "pg-gone" }, "–");
      return make("td", {}, make("div", { class: "pg-bar", style: `width: ${(100 * p / largest).toFixed(1)}%; background: ${colorOf(column.stage)}` }), make("span", {}, p < 0.0005 ? "< 0.001" : p.toFixed(3)));
    };
    const word = (token) => make("th", { scope: "row" }, make("button", { type: "button", title: "use this token", "data-keep": "row " + tokens.indexOf(token), click: () => attempt(() => take(+token)) }, readable(shown.get(token))));
    keepFocus(() => table.replaceChildren(make("table", {},
      make("caption", {}, make("span", {}, "The next token after each stage. The longest bar is the largest probability; the arrow marks the chain's choice. Click a token to use it instead.")),
      make("thead", {}, make("tr", {}, make("th", {}, "token"), ...all.map((column, place) => make("th", { scope: "col" }, column.stage, make("small", {}, strata.left(place) + (column === last && strata.left(place) === 1 ? " chosen" : " left")))))),
      make("tbody", {}, ...tokens.map((token) => make("tr", { class: token === chosen ? "pg-chosen" : "" }, word(token), ...all.map((column) => bar(column, token))))))));
    slide.hidden = table.scrollWidth <= table.clientWidth;
  }

  drawStages();
  begin();
  if (asked.get("chain")) setChain(asked.get("chain"));
  if (asked.get("text")) attempt(() => { try { read(asked.get("text")); } finally { look(); } });
  addEventListener("hashchange", () => location.reload());
});
