/* explorer.js - a token's way through the storyteller, and interventions in it.
 *
 *     state      prompts, interventions, chain, seed, the selected token and head      also the page's address
 *     glass      one or two sides of the library (strata.js, explorer.c)               compute everything
 *
 * Every change evaluates the texts again and draws the activations that the library recorded. */
document.addEventListener("DOMContentLoaded", async () => {
  const root = document.getElementById("strata-explorer");
  if (!root) return;

  let strata;
  try {
    strata = await openStrata(unpackBase64(window.strata.wasm), unpackBase64(window.strata.model));
  } catch (problem) {
    root.textContent = "The library did not start: " + problem.message;
    return;
  }

  /* ------------------------------------------------------------------ state and address */
  const HAT = "Once upon a time there was a lazy puppy named Daisy. She lived in a small village.\n\nOne day, Daisy could not find her red hat. It was the best thing she owned. She looked in every drawer, but it was not there. Daisy began to cry.\n\nThen Casper the heron from next door came by. \"What is wrong?\" asked Casper. \"I lost my red hat,\" said";
  const asked = new URLSearchParams(location.hash.slice(1) || location.search);
  const count = (name, otherwise) => (/^\d{1,9}$/.test(asked.get(name) ?? "") ? Number(asked.get(name)) : otherwise);
  const [, layer, head] = (asked.get("head") ?? root.dataset.head ?? "").match(/^(\d{1,3})\.(\d{1,3})$/) || [0, 0, 0];
  const state = {
    prompts: [asked.get("p") ?? HAT, asked.get("p2") ?? asked.get("p") ?? HAT],
    acts: [asked.get("acts") ?? "", asked.get("acts2") ?? ""],
    patch: asked.get("patch") ?? "", // LAYER.TOKEN: where the left stream replaces the right one
    compare: asked.get("compare") === "1",
    chain: asked.get("chain") ?? "min_p:0.05,temp:0.8",
    seed: seedOf(asked.get("seed") ?? 1),
    steps: count("steps", 0),
    tour: count("tour", 0), // a stop of tour.js; 0: none
    at: count("at", -1), // -1: the last token
    layer: Number(layer),
    head: Number(head),
  };

  function remember() {
    const words = new URLSearchParams({ p: state.prompts[0], head: state.layer + "." + state.head, chain: state.chain, seed: state.seed });
    if (state.acts[0]) words.set("acts", state.acts[0]);
    if (state.at >= 0) words.set("at", state.at);
    if (state.steps) words.set("steps", state.steps);
    if (state.tour) words.set("tour", state.tour);
    if (state.compare) {
      words.set("compare", 1), words.set("p2", state.prompts[1]);
      if (state.acts[1]) words.set("acts2", state.acts[1]);
      if (state.patch) words.set("patch", state.patch);
    }
    history.replaceState(null, "", "#" + words);
  }

  /* ------------------------------------------------------------------ the parts of the page */
  const trouble = make("p", { class: "ex-trouble", role: "alert" }), field = (label, element, wide) => make("label", { class: wide ? "ex-wide" : "" }, label, element);
  const prompts = [0, 1].map((side) => make("textarea", { rows: 4, "aria-label": side ? "second prompt" : "prompt", change: () => { state.prompts[side] = prompts[side].value; restart(); } }));
  const acts = [0, 1].map((side) => make("input", { type: "text", spellcheck: "false", placeholder: "head:0.7=0,layer:2=0.5,neuron:0.17=4,heat:2", "aria-label": side ? "changed on the right" : "changed", change: () => { state.acts[side] = acts[side].value; read(); } }));
  const patch = make("input", { type: "text", placeholder: "LAYER.TOKEN", size: 10, "aria-label": "patch", change: () => { state.patch = patch.value; read(); } });
  const chain = make("input", { type: "text", spellcheck: "false", "aria-label": "chain", change: () => { state.chain = chain.value; restart(); } });
  const seed = make("input", { type: "number", min: 0, max: 4294967295, "aria-label": "seed", change: () => { state.seed = seedOf(seed.value); restart(); } });
  const compare = make("input", { type: "checkbox", change: () => { state.compare = compare.checked; read(); } });
  const scrub = make("input", { type: "range", min: 0, "aria-label": "token", class: "ex-scrub", input: oncePerFrame(() => { state.at = +scrub.value; show(); }), change: () => { state.at = +scrub.value; remember(); } }); // the address changes on release only
  const button = (text, act, title) => make("button", { type: "button", class: "md-button", title, click: act }, text);
  let playing = false, later = 0; // timer of the next step
  const play = button("Play", () => { playing = !playing; run(); });
  const second = make("div", { class: "ex-row" }, field("Second text", prompts[1], true), field("Interventions in it", acts[1], true), field("Patch in the left stream at", patch));
  const views = [0, 1].map(() => make("div", { class: "ex-side" }));
  const tour = openTour({ root, state, read, hat: HAT });
  root.replaceChildren(
    make("div", { class: "ex-row" }, tour.button),
    make("div", { class: "ex-row" }, field("Text", prompts[0], true)),
    make("div", { class: "ex-row" }, field("Interventions", acts[0], true), field("Chain", chain), field("Seed", seed), make("label", { class: "ex-check" }, compare, "compare two texts")),
    second, trouble,
    make("div", { class: "ex-row" }, button("◀", () => move(-1), "previous token (left arrow)"), scrub, button("▶", () => move(1), "next token (right arrow)"), button("Step", () => step(), "write one token"), play, button("Back", back, "remove the last token"), button("Reset model", () => { state.acts = ["", ""], state.patch = ""; read(); }, "remove all interventions")),
    make("div", { class: "ex-sides" }, views), tour.panel);

  /* ------------------------------------------------------------------ what happens */
  const glasses = [strata.glass(0), strata.glass(1)];
  let texts = [[], []];
  const went = [0, 0]; // tokens that were written
  const drawn = [new Map(), new Map()], forget = () => drawn.forEach((known) => known.clear()); // what is on the page of a text, as long as it stays
  const shownSides = () => (state.compare ? [0, 1] : [0]);
  const position = (side) => { const last = texts[side].length - 1; return state.at < 0 || state.at > last ? last : state.at; };

  function attempt(act) {
    trouble.textContent = "";
    try {
      act();
      return true;
    } catch (problem) {
      trouble.textContent = problem.message;
      playing = false;
      return false;
    }
  }

  /* Evaluate the texts with all interventions, and write as many tokens as before. */
  function read() {
    texts = [[], []], forget(); // nothing is shown of a text that is rejected
    attempt(() => {
      for (const side of shownSides()) {
        glasses[side].begin(state.prompts[side], state.acts[side], state.chain, state.seed);
        if (side && state.patch) patchIn();
        texts[side] = glasses[side].tokens();
        went[side] = 0;
        while (went[side] < state.steps && continued(side)) went[side]++;
      }
      state.steps = Math.max(...shownSides().map((side) => went[side]));
    });
    draw();
  }
  function patchIn() {
    const [, layer, token] = state.patch.match(/^(\d{1,3})\.(\d{1,4})$/) || [];
    if (!layer) throw new Error(`cannot patch in the left stream at "${state.patch}": wanted LAYER.TOKEN, for instance 2.7`);
    glasses[1].patch(Number(layer), Number(token));
  }
  function restart() { state.steps = 0, state.at = -1; read(); }
  function continued(side) {
    try { glasses[side].step(); return true; } catch (problem) { trouble.textContent = problem.message; return false; }
  }
  function step() {
    trouble.textContent = "", forget();
    const on = shownSides().filter((side) => texts[side].length && continued(side));
    on.forEach((side) => went[side]++);
    if (on.length) state.steps = Math.max(...shownSides().map((side) => went[side]));
    state.at = -1;
    draw();
    return on.length > 0;
  }
  function back() {
    if (!state.steps) return;
    state.steps--, state.at = -1, forget();
    attempt(() => shownSides().forEach((side) => { if (went[side] > state.steps) glasses[side].back(), went[side]--; }));
    draw();
  }
  function run() {
    clearTimeout(later);
    play.textContent = playing ? "Stop" : "Play";
    if (!playing) return;
    playing = step();
    later = setTimeout(run, 150);
  }
  function move(by) { state.at = Math.max(0, Math.min(texts[0].length - 1, position(0) + by)); draw(); }
  root.addEventListener("keydown", (event) => {
    if (/^(TEXTAREA|INPUT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { ArrowLeft: () => move(-1), ArrowRight: () => move(1), s: step, b: back };
    if (keys[event.key]) keys[event.key](), event.preventDefault();
  });

  /* Switch an intervention on or off: "head:0.7" times a number; the others stay. */
  function toggle(side, name, value) {
    const others = state.acts[side].split(",").filter((act) => act && !act.startsWith(name + "=")), had = state.acts[side].split(",").some((act) => act === name + "=" + value);
    state.acts[side] = [...others, ...(had ? [] : [name + "=" + value])].join(",");
    read();
  }
  const isChanged = (side, name) => state.acts[side].split(",").some((act) => act.startsWith(name + "="));

  /* ------------------------------------------------------------------ drawing */
  const readable = (word) => word.replace(/\\x0a/g, "↵").replace(/^ /, "␣") || "·";
  const percent = (share) => (100 * share).toFixed(1) + " %";

  /* A strip of `count` colours, blue below zero and orange above: show(numbers, max) paints them. */
  const BELOW = [0, 114, 178], ABOVE = [213, 94, 0];
  function strip(count, label, click) {
    const canvas = make("canvas", { width: count, height: 1, class: "ex-strip", role: "img", "aria-label": label, title: label, click });
    const pen = canvas.getContext("2d"), image = pen.createImageData(count, 1);
    canvas.show = (numbers, most) => {
      numbers.forEach((x, i) => { image.data.set(x < 0 ? BELOW : ABOVE, 4 * i), image.data[4 * i + 3] = Math.min(255, 255 * Math.abs(x) / most); });
      pen.putImageData(image, 0, 0);
    };
    return canvas;
  }

  /* All weights of a head: a dot for each pair of tokens. */
  function pattern(side, layer, head) {
    const glass = glasses[side], n = texts[side].length, name = layer + "." + head, chosen = layer === state.layer && head === state.head;
    const canvas = drawn[side].get(name) || make("canvas", { width: n, height: n });
    if (!drawn[side].has(name)) {
      const pen = canvas.getContext("2d"), image = pen.createImageData(n, n);
      for (let query = 0; query < n; query++) glass.row(layer, head, query).forEach((weight, key) => image.data.set([213, 94, 0, 255 * weight], 4 * (query * n + key)));
      pen.putImageData(image, 0, 0);
      drawn[side].set(name, canvas);
    }
    const off = isChanged(side, "head:" + name);
    return make("div", { class: "ex-head" + (chosen ? " ex-chosen" : "") + (off ? " ex-off" : "") },
      make("button", { type: "button", class: "ex-pattern", "data-keep": side + "h" + name, "aria-pressed": String(chosen), title: "select head " + name, "aria-label": "head " + name, click: () => { state.layer = layer, state.head = head; draw(); } }, canvas),
      make("button", { type: "button", class: "ex-mute", "data-keep": side + "m" + name, "aria-pressed": String(off), title: "silence head " + name, "aria-label": "silence head " + name, click: () => toggle(side, "head:" + name, 0) }, name));
  }

  /* Elements kept for a text, made on first use: moving along it only changes colours, so nothing is laid out again. */
  function kept(side, name, made) {
    if (!drawn[side].has(name)) drawn[side].set(name, made());
    return drawn[side].get(name);
  }

  /* Tokens: orange where the selected token attends to, underlined blue where it is attended to. */
  function tokens(side) {
    const chips = kept(side, "tokens", () => make("div", { class: "ex-tokens" }, texts[side].map((token, i) =>
      make("button", { type: "button", class: "ex-token" + (i >= sizes.prompt ? " ex-written" : ""), "data-keep": side + "t" + i,
        mouseenter: (event) => { event.target.title = event.target.ariaLabel; shade(side, i); }, click: () => { state.at = i; draw(); } }, readable(token.text), make("small", {}, token.token)))));
    const at = position(side);
    shade(side, at, (i, share) => {
      const token = texts[side][i], here = `"${texts[side][at].text}"`, chip = chips.children[i];
      chip.ariaLabel = `token ${i}, id ${token.token}: ` + (i <= at ? `${here} attends to it with ${percent(share)}` : `attends to ${here} with ${percent(share)}`);
      chip.classList.toggle("ex-at", i === at), chip.toggleAttribute("aria-current", i === at);
    });
    return chips;
  }

  /* Skip unchanged styles: most tokens keep theirs from one position to the next. */
  const paint = (element, name, value) => { if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value); };

  /* Colour what token `at` attends to in orange and what attends to it in blue; tell(i, share) for each token. */
  function shade(side, at, tell = () => {}) {
    const glass = glasses[side], row = [...glass.row(state.layer, state.head, at)];
    [...drawn[side].get("tokens").children].forEach((chip, i) => {
      const share = i <= at ? row[i] : glass.row(state.layer, state.head, i)[at], percents = (100 * share).toFixed(1) + "%";
      paint(chip, "--looks", i <= at ? percents : "0.0%"), paint(chip, "--seen", i <= at ? "0.0%" : percents);
      tell(i, share);
    });
  }

  /* A word with its probability: show(word) replaces it. */
  function wordBox() {
    const text = document.createTextNode(""), share = make("small"), box = make("span", { class: "ex-word" }, text, share);
    box.show = (word) => {
      text.data = readable(word.text), share.textContent = (+word.probability).toFixed(3), box.title = percent(word.probability);
      paint(box, "--share", (100 * word.probability).toFixed(1) + "%");
    };
    return box;
  }

  /* A row of the logit lens: show(size, most, numbers, words) fills it for another token. */
  function journeyRow(name) {
    const colours = strip(sizes.dim, "the stream's numbers"), bar = make("div", { class: "ex-size" }), number = make("span"), said = [wordBox(), wordBox(), wordBox()];
    const row = make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, colours), make("td", {}, bar, number), make("td", {}, said));
    row.show = (size, most, numbers, words) => {
      colours.show(numbers, 2 * size), paint(bar, "width", (100 * size / most).toFixed(1) + "%"), number.textContent = size.toFixed(2);
      said.forEach((box, i) => box.show(words[i]));
    };
    return row;
  }

  /* After each part: the stream as colours, its size, and its prediction. */
  function journey(side) {
    const at = position(side), glass = glasses[side], places = [...Array(sizes.places).keys()], size = places.map((place) => glass.size(place, at)), most = Math.max(...size);
    const name = (place) => (place === 0 ? "embedding" : `${(place - 1) >> 1} ${place % 2 ? "attention" : "feed-forward"}`);
    const rows = kept(side, "rows", () => places.map((place) => journeyRow(name(place))));
    rows.forEach((row, place) => row.show(size[place], most, glass.stream(place, at, sizes.dim), kept(side, `words ${place} of ${at}`, () => glass.words(place, at).slice(0, 3))));
    return kept(side, "journey", () => make("div", { class: "ex-scroll" }, make("table", { class: "ex-journey" },
      make("thead", {}, make("tr", {}, ["after", "the stream", "size", "prediction"].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, rows))));
  }

  function layerOf(side, layer) {
    const at = position(side), numbers = [...glasses[side].neurons(layer, at, sizes.hidden)], most = Math.max(...numbers.map(Math.abs));
    const neuron = (event) => Math.min(sizes.hidden - 1, Math.floor(sizes.hidden * event.offsetX / event.target.clientWidth));
    const layerName = "layer:" + layer, off = isChanged(side, layerName);
    const row = kept(side, "neurons " + layer, () => strip(sizes.hidden, `layer ${layer}'s feed-forward: ${sizes.hidden} neurons. Click one to silence it`, (event) => toggle(side, `neuron:${layer}.${neuron(event)}`, 0)));
    row.show(numbers, most);
    const section = kept(side, `${layer} with ${state.layer}.${state.head}`, () => make("section", { class: off ? "ex-off" : "" },
      make("h3", {}, `Layer ${layer} `, make("button", { type: "button", class: "ex-mute", "data-keep": side + "l" + layer, "aria-pressed": String(off), click: () => toggle(side, layerName, 0) }, "silence")),
      make("div", { class: "ex-heads" }, [...Array(sizes.heads).keys()].map((head) => pattern(side, layer, head)))));
    if (row.parentNode !== section) section.append(row); // the heads show all tokens; only the feed-forward strip changes
    return section;
  }

  /* Replace only children that differ. */
  function fill(parent, children) {
    children.forEach((child, i) => {
      const there = parent.children[i];
      if (there !== child) there ? there.replaceWith(child) : parent.append(child);
    });
    while (parent.children.length > children.length) parent.lastChild.remove();
  }

  /* The KV cache: a page holds a number of positions, in every layer. */
  function pages(side) {
    const held = position(side) + 1, count = Math.ceil(texts[side].length / sizes.page);
    const all = kept(side, "pages", () => make("div", { class: "ex-pages" }, [...Array(count).keys()].map(() => make("span", { class: "ex-page" }, [...Array(sizes.page).keys()].map(() => make("i"))))));
    [...all.children].forEach((page, number) => {
      const here = Math.max(0, Math.min(sizes.page, held - number * sizes.page));
      page.title = `page ${number}: ${here} of ${sizes.page} positions, in each of ${sizes.layers} layers`;
      [...page.children].forEach((slot, i) => slot.classList.toggle("ex-held", i < here));
    });
    return all;
  }

  function chainOf(side) {
    const rows = glasses[side].chain(position(side)), chosen = String(glasses[side].chosen(position(side))), stages = new Map();
    rows.forEach((row) => stages.set(row.stage, [...(stages.get(row.stage) || []), row]));
    return make("div", { class: "ex-chain" }, [...stages].map(([stage, list]) => make("div", {}, make("b", {}, stage), list.filter((row) => row.kept === "1").slice(0, 5).map((row) => make("span", { class: "ex-word" + (row.token === chosen ? " ex-at" : ""), style: `--share: ${(100 * row.prob).toFixed(1)}%` }, readable(row.text), make("small", {}, (+row.prob).toFixed(3)))))));
  }

  let sizes;
  function drawSide(side) {
    if (!texts[side].length) { views[side].replaceChildren(); return; }
    if (!drawn[side].size) texts[side] = glasses[side].tokens();
    sizes = glasses[side].sizes();
    state.layer = Math.min(state.layer, sizes.layers - 1), state.head = Math.min(state.head, sizes.heads - 1);
    const part = (title, hint, content) => {
      const section = kept(side, title, () => make("section", {}, make("h3", {}, title), make("p", { class: "ex-hint" })));
      section.children[1].textContent = hint;
      fill(section, [section.children[0], section.children[1], content]);
      return section;
    };
    fill(views[side], [
      part("Tokens", `Head ${state.layer}.${state.head}. Orange: what “${readable(texts[side][position(side)].text)}” attends to. Blue: later tokens that attend to it. Hover over another token to see its attention, click to select it.`, tokens(side)),
      ...[...Array(sizes.layers).keys()].map((layer) => layerOf(side, layer)),
      part("Residual stream", "Each part adds to it. The prediction is the logit lens: the output if the model ended there.", journey(side)),
      part("KV cache", `Pages of ${sizes.page} positions in each of ${sizes.layers} layers.`, pages(side)),
      part("Sampler chain", "The candidates that each stage leaves; the framed token is chosen.", chainOf(side))]);
  }

  function draw() { show(), remember(); }
  function show() {
    const focused = document.activeElement?.getAttribute?.("data-keep");
    attempt2(() => shownSides().forEach(drawSide));
    second.hidden = views[1].hidden = !state.compare;
    prompts.forEach((prompt, side) => (prompt.value = state.prompts[side]));
    acts.forEach((input, side) => (input.value = state.acts[side]));
    patch.value = state.patch, chain.value = state.chain, seed.value = state.seed, compare.checked = state.compare;
    scrub.max = Math.max(0, texts[0].length - 1), scrub.value = position(0);
    if (focused) root.querySelector(`[data-keep="${focused}"]`)?.focus();
    tour.mark();
  }
  function attempt2(act) { // keeps an earlier message
    try { act(); } catch (problem) { trouble.textContent ||= problem.message; }
  }

  if (state.tour && !asked.has("p")) tour.go(state.tour); // a link to a stop
  else read();
  root.dataset.ready = "yes";
  addEventListener("hashchange", () => location.reload());
});
