/* strata.js - the libraries in WebAssembly, for JavaScript; playground.c says what each function does.
 *
 *     const strata = await openStrata(wasmBytes, modelBytes);
 *     strata.begin("Once upon a time");
 *     strata.chain("temp:0.8", 1);
 *     strata.look(); strata.take(strata.chosen()); strata.text();
 *
 * A failure throws an Error with the library's message. */

/* An element: make("button", {class: "x", click: f}, "text", child, ...) */
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat());
  return element;
}

/* Run once per frame, however often it is called. */
function oncePerFrame(act) {
  let asked = 0;
  return () => { asked ||= requestAnimationFrame(() => { asked = 0; act(); }); };
}

/* A seed is an unsigned 32-bit integer: the nearest one to the input. */
const seedOf = (text) => Math.min(4294967295, Math.max(0, Math.trunc(Number(text)) || 0));

const unpackBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function openStrata(wasm, model) {
  const lastWords = [];
  let c = null; // what playground.c exports

  const bytes = () => new Uint8Array(c.memory.buffer), view = () => new DataView(c.memory.buffer);

  /* The system calls of a C library.  There are no files and no environment; stderr is kept for the error message. */
  const BAD_FILE = 8, NOT_THERE = 52;
  const system = {
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    fd_prestat_get: () => BAD_FILE,
    fd_write(file, pieces, count, written) {
      let total = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(pieces + 8 * i, true), size = view().getUint32(pieces + 8 * i + 4, true);
        lastWords.push(new TextDecoder().decode(bytes().slice(at, at + size)));
        total += size;
      }
      view().setUint32(written, total, true);
      return 0;
    },
    proc_exit(status) { throw new Error(lastWords.join("") || "the library ended with status " + status); },
  };

  const module = await WebAssembly.compile(wasm), imports = {};
  for (const { name } of WebAssembly.Module.imports(module)) imports[name] = system[name] || (() => NOT_THERE);
  c = (await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports })).exports;
  c._initialize();

  const bytesAt = (at) => bytes().slice(at, bytes().indexOf(0, at)), textAt = (at) => new TextDecoder().decode(bytesAt(at));
  const put = (data) => {
    const at = c.play_room(data.length);
    if (!at) throw new Error("no memory for " + data.length + " bytes");
    bytes().set(data, at);
    return at;
  };
  const whole = (text) => {
    if (text.includes("\0")) throw new Error("the text contains a zero byte: remove it");
    return text;
  };
  const putText = (...texts) => put(new TextEncoder().encode(texts.map((text) => whole(text) + "\0").join("")));
  const check = (at) => { if (at) throw new Error(textAt(at)); };
  /* A table in CSV: rows of named columns. */
  const table = (text) => {
    const [head, ...lines] = text.trimEnd().split("\n"), names = head.split(",");
    return lines.map((line) => {
      const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, ""));
      return Object.fromEntries(names.map((name, i) => [name, cells[i].replace(/^"|"$/g, "").replace(/""/g, '"')]));
    });
  };

  check(c.play_open(put(model), model.length));
  return {
    /* The numbers of a picture that moves; moving/moving.h documents it. */
    moving(name, at, text = "") {
      const [a = 0, b = 0, d = 0] = at, rows = textAt(c.moving_show(putText(name, text), a, b, d));
      if (!rows.includes("\n")) throw new Error(rows);
      return table(rows);
    },
    samplers: () => table(textAt(c.play_samplers())),
    presets: () => table(textAt(c.play_presets())),
    begin: (prompt) => check(c.play_begin(putText(prompt))),
    chain: (text, seed) => check(c.play_chain(putText(text), seed)),
    spec: () => textAt(c.play_spec()),
    /* [{name, text, values: {key: number}}, ...]; the texts, joined by commas, are the chain */
    stages() {
      const texts = textAt(c.play_spec()).split(","), stages = [];
      for (const row of table(textAt(c.play_stages()))) {
        if (!row.key) stages.push({ name: row.stage, text: texts[stages.length], values: {} });
        else stages.at(-1).values[row.key] = +row.value;
      }
      return stages;
    },
    look(rows = 0) {
      const text = textAt(c.play_look(rows));
      if (!text.startsWith("sample,step,")) throw new Error(text);
      return table(text);
    },
    left: (place) => c.play_left(place),
    choose: () => check(c.play_choose()),
    chosen: () => c.play_chosen(),
    ends: (token) => c.play_ends(token) !== 0,
    take: (token) => check(c.play_take(token)),
    back: () => check(c.play_back()),
    text: () => textAt(c.play_text()),
    /* [{token, surprisal, text}, ...]; a letter of several tokens belongs to the last one */
    written() {
      const letters = new TextDecoder();
      return table(textAt(c.play_written())).map((row) => ({ ...row, text: letters.decode(bytesAt(c.play_piece(+row.token)), { stream: true }) }));
    },
    /* The texts of tokens, in bytes too: [{text, size}, ...]; a letter of several tokens belongs to the last one */
    pieces(ids) {
      const letters = new TextDecoder();
      return ids.map((id) => { const bytes = bytesAt(c.play_piece(id)); return { text: letters.decode(bytes, { stream: true }), size: bytes.length }; });
    },
    isa: (name) => check(c.play_isa(putText(name))),
    /* Stories of Tiny World under a chain; lab.c documents each call. */
    lab: {
      open: (documents) => check(c.lab_open(documents)),
      begin: (chain, seed, from, to) => check(c.lab_begin(putText(chain), seed, from, to)),
      step() {
        const left = c.lab_step();
        if (left < 0) throw new Error(textAt(c.lab_fault()));
        return left;
      },
      /* [{story, right, reason, place, opening, tokens, surprisal, detail, ids}, ...]: the ids of its tokens, the opening's `begun` too */
      stories: () => table(textAt(c.lab_stories())).map((row) => ({ ...row, ids: textAt(c.lab_tokens(+row.story)).split(".").map(Number) })),
      /* For two lists of token ids: which of each the other lacks. */
      differ: (...lists) => textAt(c.lab_differ(putText(lists.map((ids) => ids.join(".")).join(" ")))).split(" ").map((flags) => [...flags].map((flag) => flag === "1")),
      kept(document) {
        const kept = c.lab_kept(document);
        if (kept < 0) throw new Error(textAt(c.lab_fault()));
        return kept === 1;
      },
      share(count, n) {
        const [mean, low, high] = new Float64Array(c.memory.buffer, c.lab_share(count, n), 3);
        return { mean, low, high };
      },
    },
    /* A side of the explorer; explorer.c documents each call.  Numbers are views of the library's memory, valid until it computes again. */
    glass(side) {
      const numbers = (at, count) => new Float32Array(c.memory.buffer, at, count);
      return {
        begin: (prompt, acts, chain, seed) => check(c.activation_begin(side, putText(prompt, acts, chain), seed)),
        patch: (layer, position) => check(c.activation_patch(side, layer, position)),
        step: () => check(c.activation_step(side)),
        back: () => check(c.activation_back(side)),
        sizes: () => Object.fromEntries(Object.entries(table(textAt(c.activation_sizes(side)))[0]).map(([name, text]) => [name, +text])),
        tokens: () => table(textAt(c.activation_tokens(side))),
        row: (layer, head, position) => numbers(c.activation_row(side, layer, head, position), position + 1),
        neurons: (layer, position, count) => numbers(c.activation_neurons_of(side, layer, position), count),
        stream: (place, position, count) => numbers(c.activation_numbers(side, place, position), count),
        size: (place, position) => c.activation_size_of(side, place, position),
        words: (place, position) => table(textAt(c.activation_words(side, place, position))),
        chain(position) {
          const text = textAt(c.activation_chain(side, position));
          if (!text.startsWith("sample,step,")) throw new Error(text);
          return table(text);
        },
        chosen: (position) => c.activation_chosen(side, position),
      };
    },
  };
}
