/* lab.js - stories of Tiny World under a reader's chain, and where that chain stands among the measured ones.
 *
 *     state     two chains, a seed, how many stories, the story on display      also the page's address
 *     results   of each chain: its stories as they come, and which true documents it keeps
 *     team      the workers that write (team.js); strata answers questions about chains and tokens
 *
 * Every number is computed by the library: docs/playground/lab.c. */
document.addEventListener("DOMContentLoaded", async () => {
  const root = document.getElementById("strata-lab");
  if (!root) return;
  const MOST = 200, FIRST = 24, CURVE = 7; // stories; stories while a slider moves; settings of a curve

  let strata, team;
  try {
    const wasm = unpackBase64(window.strata.wasm), model = unpackBase64(window.strata.model);
    strata = await openStrata(wasm, model);
    team = await openTeam(wasm, model, MOST, hear);
  } catch (problem) {
    root.textContent = "The library did not start: " + problem.message;
    return;
  }

  /* ------------------------------------------------------------------ state */
  const kinds = kindsOf(strata), measured = readFrontier(window.frontier), asked = new URLSearchParams(location.hash.slice(1) || location.search);
  const count = (name, low, high, otherwise) => (/^\d{1,9}$/.test(asked.get(name) ?? "") ? Math.min(high, Math.max(low, Number(asked.get(name)))) : otherwise);
  const defaultChain = strata.presets().find((preset) => preset.name === "balanced").chain;
  const state = { chains: ["", ""], seed: seedOf(asked.get("seed") ?? 1), n: count("n", 2, MOST, MOST), story: count("story", 1, MOST, 0) - 1, corner: asked.get("corner") === "1" };
  const results = [null, null]; // {spec, seed, stories: [], kept: [], done, seconds}
  let hearing = null, turn = 0, trail = [];

  /* ------------------------------------------------------------------ the parts of the page */
  const trouble = make("p", { class: "fault", role: "alert" }), status = make("p", { class: "hint", role: "status" });
  const chains = ["A", "B"].map((label, i) => make("input", { type: "text", spellcheck: "false", "aria-label": "chain " + label, placeholder: i ? "another chain to compare" : "", change: () => { setChain(i, chains[i].value) && tell(); } }));
  const seed = make("input", { type: "number", min: 0, max: 4294967295, value: state.seed, "aria-label": "seed", change: () => { seed.value = state.seed = seedOf(seed.value); tell(); } });
  const stories = make("select", { "aria-label": "stories", change: () => { state.n = +stories.value; tell(); } }, ...[...new Set([24, 50, 100, MOST, state.n])].sort((a, b) => a - b).map((n) => make("option", { value: n, selected: n === state.n }, String(n))));
  const known = make("select", { "aria-label": "a measured chain", change: () => { if (known.value) pick(known.value); known.value = ""; } }, make("option", { value: "" }, "a measured chain…"), ...measured.map((row) => make("option", { value: row.chain }, `${row.chain}: ${percent(row.right.mean)} true, ${percent(row.kept.mean)} kept`)));
  const corner = make("input", { type: "checkbox", change: () => { state.corner = corner.checked; draw(); remember(); } });
  corner.checked = state.corner;
  const go = make("button", { type: "button", class: "first", click: () => (hearing ? stop() : tell()) }, "Tell the stories");
  const sliders = make("div", { class: "lab-sliders" }), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), off = make("p", { class: "hint" }), legend = make("p", { class: "lab-legend" });
  const table = make("div", { class: "lab-table" }), grids = [0, 1].map((i) => make("div", { class: "lab-grid-of", role: "group", "aria-label": "stories of chain " + "AB"[i], keydown: (event) => walk(event, i) }));
  const told = make("div", { class: "lab-told" }), field = (label, element, wide) => make("label", { class: wide ? "lab-wide" : "" }, label, element);
  svg.setAttribute("role", "img"), svg.setAttribute("aria-label", "kept and true of the measured chains and of yours; the table below has the numbers of yours");
  root.classList.add("look");
  root.replaceChildren(
    make("div", { class: "lab-row" }, field("Chain A", chains[0], true), known, field("Stories", stories), field("Seed", seed), go),
    sliders, make("div", { class: "lab-row" }, field("Chain B", chains[1], true)), trouble, status,
    make("div", { class: "lab-panes" }, make("figure", {}, svg, make("figcaption", {}, legend, make("label", { class: "lab-check" }, corner, "only 80 to 100 %"), off)), make("div", { class: "lab-side" }, table, ...grids)),
    told);

  /* ------------------------------------------------------------------ what happens */
  function setChain(i, text) {
    trouble.textContent = "";
    try {
      if (!text && i) return (state.chains[1] = chains[1].value = ""), (results[1] = null), draw(), remember(), false;
      strata.chain(text, state.seed);
      state.chains[i] = chains[i].value = strata.spec();
      if (!i) drawSliders();
      return true;
    } catch (problem) {
      trouble.textContent = problem.message.replace(/: there are .*/s, "");
      chains[i].value = state.chains[i];
      return false;
    }
  }

  const pick = (chain) => { trail = []; setChain(0, chain) && tell(); };
  const stop = () => { turn++, team.stop(), (hearing = null), draw(); };

  function hear(message) {
    for (const story of message.stories ?? []) hearing.stories[+story.story] = story;
    if (message.document !== undefined) hearing.kept[message.document] = message.kept;
    drawSoon();
  }

  /* Stories 0 .. n - 1 of a chain: those it lacks.  False: something else began. */
  async function measure(i, spec, n, mine) {
    let result = results[i];
    if (result?.spec !== spec || result.seed !== state.seed) result = results[i] = { spec, seed: state.seed, stories: [], kept: [], done: 0, seconds: 0 };
    if (result.done >= n) return true;
    const start = performance.now(), from = result.done;
    result.stories.length = result.kept.length = from; // of a run that was stopped
    hearing = result, result.wanted = n;
    draw();
    if (!(await team.run({ chain: spec, seed: state.seed, from, to: n })) || mine !== turn) return false;
    result.done = n, result.seconds += (performance.now() - start) / 1000;
    return true;
  }

  async function guarded(act) {
    const mine = ++turn;
    trouble.textContent = "", root.dataset.state = "busy";
    remember();
    try {
      if (!(await act(mine)) || mine !== turn) return;
    } catch (problem) {
      if (mine !== turn) return;
      trouble.textContent = problem.message, results[0] = results[1] = null;
    }
    hearing = null, root.dataset.state = "done";
    draw();
  }

  /* Both chains, a few stories first while a slider moves. */
  const tell = (moving) => guarded(async (mine) => {
    if (moving) {
      if (!(await measure(0, state.chains[0], Math.min(FIRST, state.n), mine))) return false;
      addToTrail(results[0], moving);
      await new Promise((rest) => setTimeout(rest, 500));
      if (mine !== turn) return false;
    }
    for (const i of [0, 1]) if (state.chains[i] && !(await measure(i, state.chains[i], state.n, mine))) return false;
    if (moving) addToTrail(results[0], moving);
    return true;
  });

  /* The settings of one parameter that were measured, in its order. */
  function addToTrail(result, at) {
    if (trail.key !== at.key) trail = Object.assign([], { key: at.key });
    const step = { ...sharesOf(result), chain: result.spec, value: at.value }, old = trail.findIndex((one) => one.value === at.value);
    old < 0 ? trail.push(step) : (trail[old] = step);
    trail.sort((a, b) => a.value - b.value);
  }

  /* A parameter through its range. */
  const curve = (i, stage, p, range) => guarded(async (mine) => {
    const own = state.chains[0];
    for (let k = 0; k < CURVE; k++) {
      const value = +(range.low + ((k + (range.low ? 0 : 1)) / (CURVE - (range.low ? 1 : 0))) * (range.high - range.low)).toPrecision(3);
      const spec = withValue(i, stage, p, p.integer ? Math.round(value) : value);
      if (!(await measure(0, spec, Math.min(FIRST, state.n), mine))) return false;
      addToTrail(results[0], { key: keyOf(i, stage, p), value });
    }
    return measure(0, own, state.n, mine);
  });

  /* ------------------------------------------------------------------ sliders */
  const keyOf = (i, stage, p) => i + stage.name + p.key;
  function withValue(i, stage, p, value) {
    strata.chain(state.chains[0], state.seed);
    const all = strata.stages().map((one) => one.text);
    all[i] = stageText(stage.name, { ...strata.stages()[i].values, [p.key]: value });
    strata.chain(all.join(","), state.seed);
    return strata.spec();
  }

  function slider(stage, i, p) {
    const range = sliderRange(kinds.get(stage.name), p), number = make("output", {}, String(stage.values[p.key]));
    const moved = oncePerFrame(() => {
      const value = +(+input.value).toPrecision(4);
      number.textContent = String(value);
      try { state.chains[0] = chains[0].value = withValue(i, stage, p, value); } catch (problem) { trouble.textContent = problem.message; return; }
      clearTimeout(resting), (resting = setTimeout(() => tell({ key: keyOf(i, stage, p), value }), 150));
    });
    const input = make("input", { type: "range", min: range.low, max: range.high, step: range.step, value: stage.values[p.key], "aria-label": stage.name + " " + p.key, input: moved });
    return make("div", { class: "lab-slider" }, make("label", {}, stage.name + " " + p.key, input, number), make("button", { type: "button", title: `${CURVE} settings of ${p.key} over its range, ${FIRST} stories each`, "aria-label": "curve of " + stage.name + " " + p.key, click: () => curve(i, stage, p, range) }, "Curve"));
  }
  let resting = 0;

  function drawSliders() {
    strata.chain(state.chains[0], state.seed);
    sliders.replaceChildren(...strata.stages().flatMap((stage, i) => (kinds.get(stage.name).list ? [] : kinds.get(stage.name).params.filter((p, k) => p.key !== "keep" && (k === 0 || stage.values[p.key] !== p.default_value)).map((p) => slider(stage, i, p)))));
  }

  /* ------------------------------------------------------------------ drawing */
  const listOf = (result) => result.stories.filter(Boolean);
  function sharesOf(result) {
    const all = listOf(result), kept = result.kept.filter((one) => one !== undefined);
    return { right: strata.lab.share(all.filter((story) => story.right === "1").length, all.length), kept: strata.lab.share(kept.filter(Boolean).length, kept.length), stories: all.length, documents: kept.length };
  }

  const drawSoon = oncePerFrame(draw);
  function draw() {
    const dots = results.map((result, i) => result && listOf(result).length && result.kept.length && { ...sharesOf(result), label: "AB"[i], chain: result.spec, whole: result !== hearing }).filter(Boolean);
    const { outside, named } = drawFrontier(svg, { measured, dots, trail, corner: state.corner, pick });
    legend.replaceChildren(...named.map((stage) => make("span", { style: "color: " + colorOf(stage) }, "● " + stage + " ")));
    off.textContent = outside.map((dot) => `${dot.label} is outside of this part.`).join(" ");
    table.replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...["", "true", "95 % interval", "kept", "95 % interval"].map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...results.map(rowOf).filter(Boolean).flat())));
    results.forEach(drawGrid);
    go.textContent = hearing ? "Stop" : "Tell the stories";
    status.textContent = hearing ? `Writing: ${listOf(hearing).length} of ${hearing.wanted} stories, ${hearing.kept.length ? hearing.kept.filter((one) => one !== undefined).length : 0} of as many true documents tried. Short stories end first, so wait for the numbers.`
      : results[0]?.done ? `${results.map((result, i) => result && `${"AB"[i]}: ${result.done} stories in ${result.seconds.toFixed(1)} s`).filter(Boolean).join("; ")}. ${team.size} workers.` : "";
    drawTold();
  }

  const around = (share) => `${(100 * share.low).toFixed(1)} to ${percent(share.high)}`;
  function rowOf(result, i) {
    if (!result || !listOf(result).length) return null;
    const shares = sharesOf(result), reasons = {};
    for (const story of listOf(result)) if (story.right !== "1") reasons[story.reason] = (reasons[story.reason] ?? 0) + 1;
    const why = Object.entries(reasons).sort((a, b) => b[1] - a[1]).map(([reason, n]) => reason + " " + n).join(", ");
    return [make("tr", { "data-chain": "AB"[i] }, make("th", { scope: "row" }, "AB"[i]), ...[percent(shares.right.mean), around(shares.right), ...(shares.documents ? [percent(shares.kept.mean), around(shares.kept)] : ["…", "…"])].map((text) => make("td", {}, text))),
      make("tr", { "data-why": "AB"[i] }, make("td", {}), make("td", { colspan: 4 }, why ? "broken: " + why : "none broken"))];
  }

  /* A square a story: a check mark, or a cross. */
  function drawGrid(result, i) {
    grids[i].hidden = !result;
    if (!result) return;
    const total = Math.max(result.wanted ?? 0, result.done), box = grids[i];
    while (box.children.length > total) box.lastChild.remove();
    while (box.children.length < total) { const story = box.children.length; box.append(make("button", { type: "button", tabindex: "-1", click: () => show(story) })); }
    [...box.children].forEach((square, k) => {
      const story = result.stories[k], what = !story ? "waiting" : story.right === "1" ? "true" : "broken";
      if (square.className !== "lab-" + what) square.className = "lab-" + what, (square.textContent = { waiting: "", true: "✓", broken: "✕" }[what]), square.setAttribute("aria-label", `story ${k + 1}: ${what === "broken" ? "broken, " + story.reason : what}`);
      square.setAttribute("tabindex", k === Math.max(0, Math.min(state.story, total - 1)) ? "0" : "-1"), square.setAttribute("aria-pressed", String(k === state.story));
    });
  }

  /* Arrows go from story to story. */
  function walk(event, i) {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 20, ArrowUp: -20 }[event.key], squares = grids[i].children;
    if (!by) return;
    event.preventDefault();
    show(Math.min(squares.length - 1, Math.max(0, state.story + by)));
    squares[state.story].focus();
  }

  function show(story) { state.story = story, draw(), remember(); }

  /* The story on display under each chain: the first broken one if none was chosen. */
  function drawTold() {
    const first = results[0] ? listOf(results[0]).find((story) => story.right !== "1") : null, index = state.story >= 0 ? state.story : first ? +first.story : 0;
    const both = results.map((result) => result?.stories[index]), differ = both[0] && both[1] ? strata.lab.differ(both[0].ids, both[1].ids) : [];
    const drawn = index + both.map((story) => story?.ids.join(".")).join("|");
    if (told.drawn === drawn) return;
    told.drawn = drawn;
    const step = (by, name) => make("button", { type: "button", click: () => { const list = listOf(results[0] ?? { stories: [] }).filter((one) => one.right !== "1" && (by > 0 ? +one.story > index : +one.story < index)); const next = by > 0 ? list[0] : list.at(-1); if (next) show(+next.story); } }, name);
    told.replaceChildren(make("h3", {}, `Story ${index + 1}`), make("div", { class: "lab-row" }, step(-1, "Previous broken story of A"), step(1, "Next broken story of A")), make("div", { class: "lab-texts" }, ...both.map((story, i) => (story ? article(story, i, differ[i]) : ""))));
  }

  /* Tokens that the other chain's story lacks are underlined; the one that broke the story is marked. */
  function article(story, i, differs = []) {
    const pieces = strata.pieces(story.ids), begun = +story.begun, opening = pieces.slice(0, begun).map((piece) => piece.text).join(""), place = +story.place;
    let at = +story.opening, broke = begun;
    let broken = false; // in the word that broke the story
    const spans = pieces.slice(begun).map((piece, k) => {
      const here = story.right !== "1" && place >= at && place < at + piece.size;
      at += piece.size;
      if (here) broke = begun + k;
      broken = here || (broken && /^\w/.test(piece.text));
      return broken ? make("mark", {}, piece.text) : make("span", { class: differs[begun + k] ? "lab-differs" : "" }, piece.text);
    });
    if (story.right !== "1" && place >= at) broke = story.ids.length, spans.push(make("mark", {}, "∎"));
    const words = new URLSearchParams({ chain: results[i].spec, prompt: opening, seed: state.seed, text: story.ids.slice(begun, broke).join(".") });
    return make("article", {}, make("h4", {}, "AB"[i] + " ", make("code", {}, results[i].spec)), make("p", { class: "lab-text" }, make("span", { class: "hint" }, opening), ...spans),
      make("p", {}, story.right === "1" ? make("b", { class: "lab-good" }, "True.") : make("b", { class: "fault" }, `Broken (${story.reason}): ${story.detail}`), " ", make("a", { href: (root.dataset.playground ?? "") + "#" + words }, story.right === "1" ? "Open in the playground" : "Open in the playground at that token")));
  }

  let noting = 0;
  function remember() {
    clearTimeout(noting);
    noting = setTimeout(() => {
      const words = new URLSearchParams({ chain: state.chains[0], seed: state.seed, n: state.n });
      if (state.chains[1]) words.set("chain2", state.chains[1]);
      if (state.story >= 0) words.set("story", state.story + 1);
      if (state.corner) words.set("corner", 1);
      history.replaceState(null, "", "#" + words);
    }, 50);
  }

  /* A chain in the address is measured at once; without one, the reader starts. */
  const refused = [];
  for (const [i, name] of ["chain", "chain2"].entries()) if (asked.get(name) && !setChain(i, asked.get(name))) refused.push(trouble.textContent);
  const first = state.chains[0] !== "" || !setChain(0, defaultChain);
  trouble.textContent = refused.join("; ");
  draw();
  root.dataset.state = "ready";
  if (first && !refused.length) tell();
  addEventListener("hashchange", () => location.reload());
});
