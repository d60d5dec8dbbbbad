/* watch.js - the steps of a service, one after the other: what docs/examples/watch_service.c writes, drawn.
 *
 *     time -->      a row for each request; what it does in a step is a mark above the step
 *     the step      whose tokens are in the batch, whose the pages are, what has been written
 *
 * Keys: left and right, Home and End, space.  Who asks for less motion gets pictures that stand still, and steps. */
(function () {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg", ROW = 26, LEFT = 30, TOP = 6;
  const SAYS = { waits: "waits", held: "waits for a page", prompt: "reads its prompt", again: "recomputes its prefix", answer: "generates" };

  /* An element: its name, attributes, children and texts. */
  function make(name, attributes = {}, ...inside) {
    const e = /^(svg|g|rect|line|text|path|title)$/.test(name) ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...inside);
    return e;
  }
  const job = ([request, does, tokens, found, pages, mark, written, text]) => ({ request, does, tokens, found, pages, mark, written, text });

  /* ------------------------------------------------------------------ time and requests */

  /* What one job does in a step, as a mark from x to end. */
  function marks(j, x, width, y) {
    const drawn = [], middle = y + ROW / 2, say = (what) => drawn.push(what);
    if (j.does === "waits" || j.does === "held") say(make("line", { x1: x, x2: x + width, y1: middle, y2: middle, class: "w-" + j.does }));
    else {
      const tall = j.does === "answer" ? 8 : 18;
      say(make("rect", { x, y: middle - tall / 2, width: Math.max(width - 0.6, 0.8), height: tall, class: "w-" + j.does }));
    }
    if (j.found > 1) say(make("path", { d: `M${x} ${y + 2} l5 0 l-5 8 z`, class: "w-found" }, make("title", {}, `${j.found} tokens found in the prefix cache`)));
    if (j.mark === "out") say(make("path", { d: `M${x - 4} ${middle - 5} l9 9 m0 -9 l-9 9`, class: "w-out" }, make("title", {}, "preempted")));
    if (j.mark === "end") say(make("line", { x1: x + width, x2: x + width, y1: middle - 9, y2: middle + 9, class: "w-end" }));
    return drawn;
  }

  function timeline(trace, width) {
    const last = trace.steps[trace.steps.length - 1], end = last.at + last.took, rows = trace.requests.length;
    const x = (time) => LEFT + ((width - LEFT - 8) * time) / end, bottom = TOP + rows * ROW;
    const svg = make("svg", { viewBox: `0 0 ${width} ${bottom + 22}`, width, height: bottom + 22, "aria-hidden": "true" });
    trace.requests.forEach((r, i) => {
      const y = TOP + i * ROW;
      svg.append(make("rect", { x: 1, y: y + 4, width: 22, height: ROW - 8, rx: 3, class: "w-owner w-" + i }), make("text", { x: 12, y: y + ROW / 2 + 4, class: "w-name" }, i + (r.priority ? "!" : "")),
        make("line", { x1: LEFT, x2: width - 8, y1: y + ROW, y2: y + ROW, class: "w-line" }), make("line", { x1: x(r.arrival), x2: x(r.arrival), y1: y + 6, y2: y + ROW - 6, class: "w-come" }));
    });
    for (let s = 0, every = end > 6 ? 2 : 1; s <= end; s += every) svg.append(make("text", { x: x(s), y: bottom + 16, class: "w-time" }, s + " s"));
    const groups = trace.steps.map((step) => {
      const g = make("g", {}, ...step.jobs.map(job).flatMap((j) => marks(j, x(step.at), x(step.at + step.took) - x(step.at), TOP + j.request * ROW)));
      svg.append(g);
      return g;
    });
    const now = make("rect", { y: TOP, height: rows * ROW, class: "w-now" });
    svg.append(now);
    return {
      svg,
      show(at) {
        groups.forEach((g, i) => g.classList.toggle("w-later", i > at));
        now.setAttribute("x", x(trace.steps[at].at)), now.setAttribute("width", Math.max(x(trace.steps[at].at + trace.steps[at].took) - x(trace.steps[at].at), 2));
      },
      at(clientX) {
        const box = svg.getBoundingClientRect(), time = (((clientX - box.left) * width) / box.width - LEFT) * (end / (width - LEFT - 8));
        const later = trace.steps.findIndex((step) => step.at + step.took > time);
        return later < 0 ? trace.steps.length - 1 : later;
      },
    };
  }

  /* ------------------------------------------------------------------ one step */

  const cell = (kind, name, title) => make("i", { class: "w-cell " + kind, title }, name);

  /* A place of the batch for each token that is read. */
  function batch(trace, step) {
    const jobs = step.jobs.map(job).filter((j) => j.tokens).sort((a, b) => (b.does === "answer") - (a.does === "answer"));
    const cells = jobs.flatMap((j) => Array.from({ length: j.tokens }, (_, i) => cell(`w-owner w-${j.request}`, i ? "" : String(j.request), `request ${j.request} ${SAYS[j.does]}`)));
    while (cells.length < trace.budget) cells.push(cell("w-free", "", "empty"));
    return cells;
  }

  function pages(step) {
    const many = (n, kind, name, title) => Array.from({ length: n }, () => cell(kind, name, title));
    return [...step.jobs.map(job).flatMap((j) => many(j.pages, `w-owner w-${j.request}`, String(j.request), `of request ${j.request}`)), ...many(step.shared, "w-shared", "s", "shared"),
      ...many(step.kept, "w-kept", "k", "kept for later requests"), ...many(step.free, "w-free", "", "free")];
  }

  /* What has become of each request up to this step. */
  function told(trace, at) {
    const all = trace.requests.map(() => ({ does: "", text: "", written: 0, read: 0, found: 0, pages: 0, out: 0, came: false, over: false }));
    trace.steps.slice(0, at + 1).forEach((step, i) => step.jobs.map(job).forEach((j) => {
      const t = all[j.request];
      if (j.mark === "in" && !t.came) t.found = j.found, t.came = true;
      t.read += j.tokens, t.out += j.mark === "out", t.over = j.mark === "end", t.written = j.written, t.text += j.text;
      if (i === at) t.does = j.does, t.pages = j.pages, t.tokens = j.tokens;
    }));
    return all;
  }
  const sum = (list, what) => list.reduce((n, t) => n + t[what], 0);

  /* The end of a text; where there is room, behind the end of its prompt. */
  function shown(prompt, text, room) {
    if (text.length > room - 12) return ["…" + text.slice(12 - room)];
    return [make("small", {}, "…" + prompt.slice(text.length - room)), text];
  }

  function table(trace, all, room) {
    const rows = all.map((t, i) => {
      const says = t.over ? "done" : t.does ? SAYS[t.does] + (t.tokens > 1 ? ` (${t.tokens})` : "") : "";
      return make("tr", {}, make("th", { scope: "row" }, make("i", { class: `w-cell w-owner w-${i}` }, String(i))), make("td", {}, says), make("td", { class: "w-text" }, ...shown(trace.requests[i].text, t.text, room)));
    });
    return make("tbody", {}, ...rows);
  }

  /* ------------------------------------------------------------------ the whole */

  function open(root) {
    const trace = JSON.parse(root.querySelector("script").textContent), last = trace.steps.length - 1, still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const button = (name, sign, act) => { const b = make("button", { type: "button", "aria-label": name, title: name }, sign); b.addEventListener("click", act); return b; };
    const scrub = make("input", { type: "range", min: 0, max: last, value: last, "aria-label": "step" }), says = make("output", { "aria-live": "off" }), where = make("div", { class: "w-when" });
    const inBatch = make("div", { class: "w-cells" }), inMemory = make("div", { class: "w-cells" }), texts = make("table", { class: "w-table" }, make("caption", {}, "the requests")), sums = make("p", { class: "w-sums" });
    let at = last, running = 0, line;

    function show(step) {
      at = Math.min(Math.max(step, 0), last), root.dataset.step = at;
      const now = trace.steps[at], all = told(trace, at), read = sum(now.jobs.map(job), "tokens");
      line.show(at), scrub.value = at;
      says.textContent = `step ${at + 1} of ${last + 1}, ${now.at.toFixed(2)} s`;
      scrub.setAttribute("aria-valuetext", `${says.textContent}: ${now.jobs.map(job).map((j) => `request ${j.request} ${SAYS[j.does]}`).join(", ")}`);
      inBatch.replaceChildren(make("b", {}, `${read} of ${trace.budget} tokens`), ...batch(trace, now));
      inMemory.replaceChildren(make("b", {}, `${trace.pages - now.free} of ${trace.pages} pages`), ...pages(now));
      texts.replaceChildren(texts.caption, table(trace, all, root.clientWidth < 500 ? 26 : 64));
      sums.textContent = `So far ${sum(all, "read")} tokens read, ${sum(all, "found")} found in the cache, ${sum(all, "written")} generated, ${sum(all, "out")} preempted.`;
    }
    function stop() { clearTimeout(running), running = 0, play.textContent = "▶", play.setAttribute("aria-label", "play"); }
    function next() {
      if (at >= last) return stop();
      show(at + 1);
      running = setTimeout(next, 1000 * trace.steps[at].took);
    }
    function toggle() {
      if (running) return stop();
      if (at === last) show(0);
      play.textContent = "❚❚", play.setAttribute("aria-label", "pause");
      running = setTimeout(next, 300);
    }
    const go = (step) => { stop(), show(step); };
    const play = button("play", "▶", toggle);
    const head = make("div", { class: "w-head" }, ...(still ? [] : [play]), button("a step back", "−1", () => go(at - 1)), button("a step on", "+1", () => go(at + 1)), scrub, says);
    scrub.addEventListener("input", () => go(+scrub.value));
    root.addEventListener("keydown", (event) => {
      const keys = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(last), " ": still ? () => {} : toggle };
      if (!keys[event.key] || (event.key === " " && event.target.tagName === "BUTTON") || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault(), keys[event.key]();
    });
    where.addEventListener("click", (event) => go(line.at(event.clientX)));

    function draw() {
      line = timeline(trace, Math.max(280, Math.round(root.clientWidth))), where.replaceChildren(line.svg), show(at);
    }
    const legend = make("p", { class: "w-legend" }, ...[["w-prompt", "reads a prompt"], ["w-again", "recomputes"], ["w-answer", "generates"], ["w-waits", "waits"], ["w-found", "found in the cache"], ["w-out", "preempted"]].map(([kind, name]) => {
      const y = -4, sample = { request: 0, does: kind.slice(2), found: kind === "w-found" ? 2 : 0, mark: kind.slice(2) };
      if (kind === "w-found" || kind === "w-out") sample.does = "";
      return make("span", {}, make("svg", { width: 20, height: 18, "aria-hidden": "true" }, ...marks(sample, 5, 9, y).filter((e) => e.getAttribute("class") === kind)), name);
    }));
    const rows = [["the batch", inBatch], ["the KV cache", inMemory]].map(([name, cells]) => make("div", { class: "w-row" }, make("span", {}, name), cells));
    root.setAttribute("tabindex", "0"), root.setAttribute("role", "group"), root.setAttribute("aria-label", "A service, step by step: arrow keys move, space plays");
    root.prepend(head, where, legend, ...rows, make("div", { class: "w-texts" }, texts), sums);
    draw();
    let width = root.clientWidth;
    new ResizeObserver(() => { if (root.clientWidth !== width) width = root.clientWidth, draw(); }).observe(root);
    root.dataset.ready = "yes";
  }

  const start = () => document.querySelectorAll("figure.watch:not([data-ready])").forEach(open);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
