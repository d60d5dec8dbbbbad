/* moving.js - a picture that moves: sliders, the library's numbers at their values, and a drawing of them.
 *
 *     <figure class="moving" data-moving="softmax"> the sliders and the first frame's rows, as JSON; a caption </figure>
 *     moving("softmax", (pen, rows, at) => { pen.rect(...); return { says: "a sentence" }; })     docs/playground/moving/softmax.js
 *
 * The first frame is in the page.  The library (7 MB) is loaded when a reader first moves something; then every frame's rows come from
 * it (docs/playground/moving/*.c).  On paper the first frame is printed.  Who asks for less motion gets steps, and no play button.
 *
 * A draw function returns {says, high, more}: a sentence about the frame, the first slider's largest value if it depends on the text,
 * and whether more rows are to come for the same values. */
(function () {
  "use strict";
  if (window.moving) return;
  const SVG = "http://www.w3.org/2000/svg", TOP = new URL("..", document.currentScript.src), HEIGHT = 300, PAPER = 640;
  const draws = {}, still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let library; // one for all pictures of the page

  function element(tag, attributes = {}, ...inside) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) typeof value === "function" ? e.addEventListener(name, value) : e.setAttribute(name, value);
    e.append(...inside);
    return e;
  }
  const script = (path) => new Promise((done, fail) => document.head.append(element("script", { src: new URL(path, TOP), load: done, error: () => fail(new Error("cannot load " + path)) })));
  function open() {
    return (library ||= (async () => {
      if (!window.strata) await script("playground/playground-data.js");
      if (typeof openStrata === "undefined") await script("playground/strata.js");
      return openStrata(unpackBase64(window.strata.wasm), unpackBase64(window.strata.model));
    })());
  }

  /* Shapes on an SVG; a class gives the colour (moving.css). */
  function penOn(svg, width, go) {
    function put(tag, attributes, words, title) {
      const e = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, typeof value === "number" ? +value.toFixed(2) : value);
      if (words !== undefined) e.append(words);
      if (title) e.append(Object.assign(document.createElementNS(SVG, "title"), { textContent: title }));
      svg.append(e);
      return e;
    }
    const pen = {
      width, height: HEIGHT,
      rect: (x, y, width, height, kind, title) => put("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), class: kind }, undefined, title),
      text: (x, y, words, kind = "") => put("text", { x, y, class: kind }, words),
      line: (x1, y1, x2, y2, kind) => put("line", { x1, y1, x2, y2, class: kind }),
      circle: (cx, cy, r, kind) => put("circle", { cx, cy, r, class: kind }),
      path: (d, kind) => put("path", { d, class: kind }),
      /* A vertical bar from a line at `zero`, cut at `most` pixels; what is cut has a dashed end. */
      bar(x, zero, width, tall, most, kind, title) {
        const shown = Math.min(Math.abs(tall), most);
        pen.rect(x, tall > 0 ? zero - shown : zero, width, shown, kind, title);
        if (Math.abs(tall) > most) pen.line(x - 1, zero - Math.sign(tall) * (most - 3), x + width + 1, zero - Math.sign(tall) * (most - 3), "mv-cut");
      },
      /* Words in boxes, line by line: [{text, kind, share, go, gap}, ...]; returns the y below.  A click on a box with `go` sets the first slider. */
      chips(list, y, size = 1) {
        const letter = 7.3 * size, row = 26 * size, tall = row - 4;
        let x = 0;
        for (const chip of list) {
          const wide = letter * [...chip.text].length + 8;
          if (x && chip.gap) x += 10;
          if (x && x + wide > width) x = 0, y += row;
          if (chip.share > 0) pen.rect(x, y, wide, tall, chip.kind).style.fillOpacity = chip.share;
          const box = pen.rect(x, y, wide, tall, "mv-chip" + (chip.at ? " mv-at" : ""), chip.title);
          pen.text(x + 4, y + tall / 2 + 4 * size, chip.text, "mv-word" + (chip.pale ? " mv-pale" : "")).style.fontSize = 12 * size + "px";
          if (chip.go !== undefined) box.classList.add("mv-go"), box.addEventListener("click", () => go(chip.go));
          x += wide + 2;
        }
        pen.grow(y + row);
        return y + row;
      },
      grow: (bottom) => { pen.height = Math.max(pen.height, bottom); },
      /* A number from the library with so many digits. */
      number: (text, digits = 3) => (+text).toFixed(digits).replace("-", "−"),
      word: (text) => text.replace(/^ /, "␣").replace(/\\x0a/g, "↵"),
    };
    return pen;
  }

  function build(root) {
    const name = root.dataset.moving, { sliders, frame } = JSON.parse(root.querySelector("script").textContent), starts = sliders.filter((s) => s.slider !== "text");
    const asked = sliders.find((s) => s.slider === "text");
    let rows = frame, strata, playing = 0, waiting = false;

    const inputs = starts.map((s) => element("input", { type: "range", min: s.low, max: s.high, step: s.step, value: s.start, "aria-label": s.slider, input: () => touch() }));
    const values = starts.map(() => element("b"));
    const text = asked && element("input", { type: "text", "aria-label": "text", spellcheck: "false", change: () => { inputs[0].max = 1e4, touch(); } });
    if (text) text.value = asked.start;
    const says = element("p", { class: "mv-says", role: "status" }), live = element("div", { class: "mv-live" });
    const button = (words, label, act) => element("button", { type: "button", "aria-label": label, title: label, click: act }, words);
    const play = button("▶", "play", toggle), steps = [button("−", "a step back", () => by(-1)), button("+", "a step on", () => by(1))];
    const at = () => inputs.map((input) => +input.value);

    /* Draw rows into a box; returns what the drawing says. */
    function drawIn(box, width, shown, where) {
      const svg = document.createElementNS(SVG, "svg"), pen = penOn(svg, width, (value) => { inputs[0].value = value, touch(); }), told = draws[name](pen, shown, where);
      for (const [key, value] of Object.entries({ viewBox: `0 0 ${width} ${pen.height}`, width, height: pen.height, role: "img", "aria-label": told.says })) svg.setAttribute(key, value);
      box.replaceChildren(svg);
      return told;
    }
    function draw() {
      const told = drawIn(live, Math.max(280, Math.round(live.clientWidth)), rows, at());
      if (told.high !== undefined) inputs[0].max = told.high;
      says.textContent = told.says;
      starts.forEach((s, i) => { values[i].textContent = inputs[i].value, inputs[i].setAttribute("aria-valuetext", `${s.slider} ${inputs[i].value}. ${told.says}`); });
      return told.more;
    }
    function refresh() {
      waiting = false;
      try {
        rows = strata.moving(name, at(), text ? text.value : "");
        if (draw()) later();
      } catch (problem) {
        stop(), says.textContent = problem.message;
      }
    }
    function later() { waiting ||= requestAnimationFrame(refresh) > 0; }
    async function touch() {
      starts.forEach((s, i) => { values[i].textContent = inputs[i].value; });
      if (strata) return later();
      says.textContent = "Loading the library: seven megabytes, once.";
      try { strata = await open(); } catch (problem) { says.textContent = "The library did not start: " + problem.message; return; }
      root.dataset.live = "yes", later();
    }

    /* The first slider, step by step. */
    const many = (starts[0].high - starts[0].low) / starts[0].step, pause = Math.min(700, Math.max(50, 7000 / many));
    function by(count) { stop(), inputs[0].value = +inputs[0].value + count * starts[0].step, touch(); }
    function stop() { clearTimeout(playing), playing = 0, play.textContent = "▶", play.setAttribute("aria-label", "play"); }
    function next() {
      if (+inputs[0].value >= +inputs[0].max) return stop();
      inputs[0].value = +inputs[0].value + +starts[0].step;
      touch().then(() => { if (playing) playing = setTimeout(next, pause); });
    }
    function toggle() {
      if (playing) return stop();
      if (+inputs[0].value >= +inputs[0].max) inputs[0].value = inputs[0].min, touch();
      play.textContent = "❚❚", play.setAttribute("aria-label", "pause"), playing = setTimeout(next, 50);
    }
    root.addEventListener("keydown", (event) => {
      const keys = { ArrowLeft: () => by(-1), ArrowRight: () => by(1), Home: () => by(-1e6), End: () => by(1e6), " ": still ? undefined : toggle };
      if (event.target.tagName === "INPUT" || !keys[event.key] || (event.key === " " && event.target.tagName === "BUTTON") || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault(), keys[event.key]();
    });

    const paper = element("div", { class: "mv-paper" }), written = element("p"), first = drawIn(paper, PAPER, frame, at());
    written.textContent = first.says, paper.append(written);
    root.setAttribute("tabindex", "0"), root.setAttribute("role", "group"), root.setAttribute("aria-label", `A picture that moves, ${name}: arrow keys move it, space plays it`);
    root.prepend(element("div", { class: "mv-head" }, ...(still ? [] : [play]), ...steps, ...starts.map((s, i) => element("label", {}, element("span", {}, s.slider, " ", values[i]), inputs[i])), ...(text ? [element("label", { class: "mv-text" }, "text", text)] : [])), live, says, paper);
    draw();
    let width = live.clientWidth;
    new ResizeObserver(() => { if (live.clientWidth !== width) width = live.clientWidth, draw(); }).observe(live);
    root.dataset.ready = "yes";
  }

  window.moving = (name, draw) => {
    draws[name] = draw;
    const start = () => document.querySelectorAll(`figure.moving[data-moving="${name}"]:not([data-ready])`).forEach(build);
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
  };
})();
