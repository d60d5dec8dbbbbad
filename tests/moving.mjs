// moving.mjs - the pictures that move (docs/assets/moving.js) and the explorer's tour: each picture stands in its page without the library, moves
// when it is touched, and shows the numbers that the program computes; each stop of the tour says what the explorer shows.
//
//     node tests/moving.mjs STRATA FOLDER [BROWSER]      the program, where playground-data.js lies, and chromium
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openChrome } from "./chrome.mjs";

const [program, folder, browser = "chromium"] = process.argv.slice(2), MODEL = "layer5_models/models/storyteller.gguf", run = (what, ...words) => execFileSync(what, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const BUILD = "make -s build/moving_frames && ${CC:-cc} -O2 docs/examples/small_step.c -lm -o build/step";
execFileSync("sh", ["-c", BUILD], { stdio: ["ignore", "ignore", "inherit"] });
const chrome = await openChrome(browser);
let failures = 0, checks = 0;
function expect(what, holds, told = "") {
  checks++;
  if (!holds) failures++, console.error(`${what} ${told}`);
}
const near = (a, b, within = 2e-5) => Math.abs(a - b) <= within * Math.max(1, Math.abs(b));

/* CSV as rows of named columns. */
function table(text) {
  const [head, ...lines] = text.trimEnd().split("\n"), names = head.split(",");
  return lines.map((line) => {
    const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, "").replace(/^"|"$/g, "").replace(/""/g, '"'));
    return Object.fromEntries(names.map((name, i) => [name, cells[i]]));
  });
}
const natively = (name, at = [], text = "") => table(run("build/moving_frames", MODEL, name, ...[0, 1, 2].map((i) => String(at[i] ?? 0)), text));
const [sliders, ...parts] = run("build/moving_frames", MODEL).split(/^# (\w+)\n/m), names = parts.filter((_, i) => i % 2 === 0), frames = parts.filter((_, i) => i % 2), knobs = table(sliders);

/* A page with all pictures, in a folder as the site has it. */
const site = join(chrome.folder, "site"), html = names.map((name, i) => {
  const rows = JSON.stringify({ sliders: knobs.filter((row) => row.picture === name), frame: table(frames[i]) }).replace(/<\//g, "<\\/");
  return `<figure class="moving" data-moving="${name}"><script type="application/json">${rows}</script><figcaption>caption</figcaption></figure><script src="assets/moving.js"></script><script src="playground/moving/${name}.js"></script>`;
});
mkdirSync(join(site, "playground"), { recursive: true });
cpSync("docs/assets", join(site, "assets"), { recursive: true }), cpSync("docs/playground", join(site, "playground"), { recursive: true }), cpSync(join(folder, "playground-data.js"), join(site, "playground", "playground-data.js"));
writeFileSync(join(site, "page.html"), `<!doctype html><html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="assets/strata.css"><link rel="stylesheet" href="assets/moving.css"><style>html { font-size: 125% } body { margin: 8px; font-family: sans-serif; --md-typeset-color: #222; }</style><body data-md-color-scheme="default"><div class="md-typeset">${html.join("")}</div>`);

async function openPage(options = {}) {
  const page = await chrome.page(options);
  if (options.still) await page.still();
  await page.go(pathToFileURL(resolve(site, "page.html")).href);
  await page.until(`document.querySelectorAll("figure.moving[data-ready]").length === ${names.length}`);
  return page;
}
const figure = (name) => `document.querySelector('figure[data-moving="${name}"]')`;
const says = (page, name) => page.ask(`${figure(name)}.querySelector(".mv-says").textContent`);
const words = (page, name) => page.ask(`[...${figure(name)}.querySelectorAll(".mv-live text")].map((text) => text.textContent)`);
const shape = (page, name) => page.ask(`${figure(name)}.querySelector(".mv-live svg").innerHTML`);
const set = (page, name, ...at) => page.ask(`{ const inputs = ${figure(name)}.querySelectorAll("input[type=range]"); ${JSON.stringify(at)}.forEach((value, i) => { inputs[i].value = value, inputs[i].dispatchEvent(new Event("input")); }); }`);
const settled = (page, name) => page.until(`${figure(name)}.dataset.live === "yes" && !/^Loading/.test(${figure(name)}.querySelector(".mv-says").textContent)`).then(() => page.ask("new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(told)))"));

/* A second place for the sliders, and what is drawn or said there: numbers of the native library, in the digits of the picture. */
const digits = (text, count = 3) => (+text).toFixed(count).replace("-", "−");
const MOVES = {
  softmax: [[0.5], (rows) => rows.map((row) => digits(row.probability))],
  norm: [[1], (rows) => [`root mean square ${String(+(+rows.at(-1).rms).toPrecision(3))}`]],
  rope: [[30, 12], (rows) => [digits(rows.find((row) => row.what === "now").qx, 4)]],
  attention: [[12, 0, 6], (rows) => [rows.at(-1).share, ...rows.filter((row) => row.what === "token").map((row) => +row.share).sort((a, b) => b - a).slice(0, 3)].map((share) => digits(share))],
  kv: [[8], (rows) => [rows[0].text, ...rows.filter((row) => row.what === "length").map((row) => `: ${row.count} tokens`)]],
  bpe: [[7], (rows) => [...rows.filter((row) => row.what === "piece").map((row) => row.text.replace(/^ /, "␣")), rows.find((row) => row.what === "rank").number]],
  chain: [[5, 1.5, 3], (rows) => [...rows.filter((row) => row.place === "5" && row.sample === "0" && row.kept === "1").map((row) => digits(row.prob)), ...rows.filter((row) => row.sample === "left").map((row) => row.rank)]],
  backward: [[13], (rows) => ["z", "a", "loss"].map((name) => digits(rows.find((row) => row.name === name).value))],
  train: [[4], (rows) => [`Step ${rows.at(-1).step}: `, digits(rows.at(-1).loss, 2)]],
  q8: [[40], (rows) => [digits(rows.at(-1).weight, 4), digits(rows.at(-1).back, 4), digits(rows.find((row) => row.what === "scale").weight, 4)]],
};

async function pictures() {
  const page = await openPage();
  expect("ten pictures", names.length === 10 && names.every((name) => MOVES[name]), `${names}`);
  expect("off until touched: the library is not loaded", await page.ask(`window.strata === undefined && typeof openStrata === "undefined"`));
  for (const name of names) {
    const before = await shape(page, name), text = knobs.find((row) => row.picture === name && row.slider === "text")?.start ?? "", [at, wanted] = MOVES[name];
    expect(`${name}: a first frame in words and shapes`, (before.match(/<(rect|path|line|circle)/g) ?? []).length > 8 && (await says(page, name)).length > 15, before.slice(0, 100));
    expect(`${name}: a picture has its sentence as its label`, (await page.ask(`${figure(name)}.querySelector(".mv-live svg").getAttribute("aria-label")`)) === (await says(page, name)));
    await set(page, name, ...at);
    await settled(page, name);
    if (name === "train") await page.until(`/Step 4:/.test(${figure(name)}.querySelector(".mv-says").textContent)`);
    expect(`${name}: it moves`, (await shape(page, name)) !== before);
    const shown = [...(await words(page, name)), await says(page, name)].join("\n"), rows = natively(name, at, text);
    for (const number of wanted(rows)) expect(`${name} at ${at}: shows ${number}`, shown.includes(number), shown);
  }
  await page.ask(`{ const text = ${figure("bpe")}.querySelector("input[type=text]"); text.value = "a \\u{1F98A}\\"hedgehog\\""; text.dispatchEvent(new Event("change")); }`);
  await settled(page, "bpe");
  await set(page, "bpe", 1e6), await settled(page, "bpe");
  expect("a reader's text, whole", /No pair is left/.test(await says(page, "bpe")) && (await words(page, "bpe")).includes("\\x9f"), await words(page, "bpe"));
  await page.ask(`{ const text = ${figure("attention")}.querySelector("input[type=text]"); text.value = "word ".repeat(500); text.dispatchEvent(new Event("change")); }`);
  await settled(page, "attention");
  expect("a text that is too long is refused in words", /192/.test(await says(page, "attention")), await says(page, "attention"));

  /* All rows, by the same instruction set: the page's are the program's. */
  const points = { softmax: [[0.1], [5]], norm: [[-3], [2]], rope: [[200, 64], [0, 0]], attention: [[20, 1, 3]], kv: [...Array(14).keys()].map((step) => [step]), bpe: [[0], [20]], chain: [[0, 0.1, 1]], backward: [[0], [69]], q8: [[1], [60]], train: [[1], [2]] };
  const web = await page.ask(`(async () => {
    const s = await openStrata(unpackBase64(window.strata.wasm), unpackBase64(window.strata.model)), texts = ${JSON.stringify(Object.fromEntries(knobs.filter((row) => row.slider === "text").map((row) => [row.picture, row.start])))};
    s.isa("scalar");
    return Object.fromEntries(Object.entries(${JSON.stringify(points)}).map(([name, all]) => [name, all.map((at) => s.moving(name, at, texts[name]))]));
  })()`);
  for (const name of names) points[name].forEach((at, i) => {
    const text = knobs.find((row) => row.picture === name && row.slider === "text")?.start ?? "", rows = natively(name, at, text), differs = rows.findIndex((row, k) => Object.keys(row).some((key) => { const a = web[name][i][k]?.[key], b = row[key]; return a !== b && !(a !== "" && b !== "" && near(+a, +b)); }));
    expect(`${name} at ${at}: the same rows in the page and natively`, differs < 0 && rows.length === web[name][i].length, JSON.stringify([rows[differs], web[name][i][differs]]));
  });
  expect("no error", page.troubles.length === 0, page.troubles.join("\n"));
  await page.close();
}

/* The native rows are what other commands print. */
function numbers() {
  const shares = (text) => text.trim().split(/\s+/).map(Number);
  const soft = natively("softmax", [2]), chain = table(run(program, "chain", "--chain", "temp:2,draw", "--logits", "build/moving_logits"));
  soft.forEach((row, i) => expect("softmax is that of strata chain", near(row.probability, chain.find((line) => line.stage === "temp" && +line.token === i).prob), JSON.stringify(row)));
  const step = (...words) => run("build/step", ...words).trim().split("\n").map((line) => shares(line.replace(/^[a-z]+/, "").replace(/ \.\.\..*/, "")));
  const [row, normed] = step("norm", MODEL, "586"), norm = natively("norm", [0]);
  row.slice(0, 6).forEach((x, i) => expect("the norm is small.c's", near(norm[i].row, x, 1e-5) && near(norm[i].rms, normed[i], 2e-5), `${JSON.stringify(norm[i])} ${x} ${normed[i]}`));
  for (const [key, distance] of [[100, 5], [7, 33]]) {
    const product = +run("build/step", "rope", String(key + distance), String(key)).trim().split(/\s+/).at(-1);
    expect("the rotated dot product is small.c's", near(natively("rope", [key, distance]).find((line) => line.what === "now").qx, product), String(product));
  }
  const HAT = knobs.find((line) => line.picture === "attention" && line.slider === "text").start, looks = natively("attention", [42, 2, 1], HAT).filter((line) => line.what === "token");
  const told = table(run(program, "look", "attention", "-m", MODEL, "-p", HAT, "--head", "2.1", "--csv", "--isa", "scalar")).filter((line) => Object.values(line)[2] === "42").map((line) => Object.values(line)[4]);
  looks.forEach((line, i) => expect("attention is that of strata look", near(line.share, told[i]), `${line.share} for ${told[i]}`));
  const text = "Once upon a neighborhood", merges = execFileSync(program, ["tokenize", "-m", MODEL, "--explain"], { input: text + "\n", encoding: "utf8" }).split("\n").flatMap((line) => line.match(/rank (\d+)/)?.[1] ?? []);
  merges.forEach((rank, i) => expect("merges come in the order of strata tokenize --explain", natively("bpe", [i + 1], text).find((line) => line.what === "rank").number === rank, rank));
  const prompt = knobs.find((line) => line.picture === "chain" && line.slider === "text").start;
  for (const seed of [1, 2, 3]) {
    const drawn = natively("chain", [5, 1.5, seed], prompt).find((line) => line.sample === "chosen").token;
    expect("the chain draws what strata generate draws", run(program, "generate", "-m", MODEL, "-p", prompt, "--chain", "top_k:40,top_p:0.9,min_p:0.1,temp:1.5,draw", "--seed", String(seed), "-n", "1", "--ids", "--no-prompt", "--quiet", "--isa", "scalar").trim() === drawn, drawn);
  }
  for (let event = 0; event < 14; event++) {
    const cache = natively("kv", [event]), entries = cache.filter((line) => line.what === "entry");
    for (const page of cache.filter((line) => line.what === "page")) expect(`step ${event}: a page counts the tables that name it`, +page.count === entries.filter((entry) => entry.page === page.number).length, JSON.stringify(page));
  }
  const value = (rows, name) => +rows.find((line) => line.name === name).value, slope = (rows, name) => +rows.find((line) => line.name === name).gradient, last = natively("backward", [5]), moved = natively("backward", [6]);
  for (const i of [0, 1, 2]) {
    expect("a weight moves against its gradient", near(value(moved, "w" + i), value(last, "w" + i) - slope(last, "w" + i), 1e-3));
    expect("its gradient is its input times z's", near(slope(last, "w" + i), value(last, "x" + i) * slope(last, "z"), 1e-3));
  }
  expect("the loss is that of a", near(value(last, "loss"), Math.log(1 + Math.exp(-value(last, "a"))), 1e-3));
  for (const times of [1, 60]) {
    const block = natively("q8", [times]), scale = +block.find((line) => line.what === "scale").weight;
    for (const weight of block.filter((line) => line.what === "weight")) expect("an error is at most half a step", Math.abs(weight.error) <= 0.51 * scale && near(weight.back, weight.quant * scale), JSON.stringify(weight));
  }
  const losses = natively("train", [100]).map((line) => +line.loss), mean = (list) => list.reduce((sum, loss) => sum + loss, 0) / list.length;
  expect("training begins at the loss of a guess and learns", Math.abs(losses[0] - Math.log(2048)) < 0.1 && mean(losses.slice(-10)) < 4.5, `${losses[0]} ${mean(losses.slice(-10))}`);
}

async function hands() {
  const page = await openPage({ width: 390, dark: true }), at = () => page.ask(`+${figure("kv")}.querySelector("input").value`);
  expect("390 pixels are enough", (await page.ask("document.documentElement.scrollWidth")) <= 390, await page.ask("document.documentElement.scrollWidth"));
  const cut = await page.ask(`[...document.querySelectorAll(".mv-live svg text")].filter((text) => { const box = text.getBoundingClientRect(), frame = text.closest("figure").getBoundingClientRect(); return box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom; }).map((text) => text.textContent)`);
  expect("no word leaves its frame on a phone", cut.length === 0, cut.join("; "));
  const small = await page.ask(`[...document.querySelectorAll("button, input")].filter((e) => { const { width, height } = e.getBoundingClientRect(); return width < 44 || height < 44; }).map((e) => e.ariaLabel)`);
  expect("what a finger can hit", small.length === 0, small.join());
  await page.ask(`${figure("kv")}.focus()`);
  await page.key("Home", 36), await settled(page, "kv");
  expect("Home goes to the first step", (await at()) === 0 && /all free/.test(await says(page, "kv")), await says(page, "kv"));
  await page.key("ArrowRight", 39), await page.key("ArrowRight", 39), await page.key("ArrowLeft", 37);
  expect("arrows step", (await at()) === 1, await at());
  await page.key(" ", 32, " ");
  await page.until(`+${figure("kv")}.querySelector("input").value > 2`);
  await page.key(" ", 32, " ");
  const stopped = await at();
  await new Promise((later) => setTimeout(later, 900));
  expect("space plays and stops", (await at()) === stopped, `${await at()} after ${stopped}`);
  await page.ask(`${figure("attention")}.querySelectorAll(".mv-go")[5].dispatchEvent(new Event("click"))`), await settled(page, "attention");
  expect("a click on a token selects it", /at token 5,/.test(await says(page, "attention")), await says(page, "attention"));
  await page.paper();
  const printed = await page.ask(`[...document.querySelectorAll("figure.moving")].map((f) => [f.querySelector(".mv-paper svg").getBoundingClientRect().height > 120, getComputedStyle(f.querySelector(".mv-live")).display, f.querySelector(".mv-paper p").textContent])`);
  expect("on paper stands the first frame, whatever was moved", printed.every(([drawn, live]) => drawn && live === "none") && /grows into a new page/.test(printed[names.indexOf("kv")][2]), JSON.stringify(printed));
  expect("no error on the phone", page.troubles.length === 0, page.troubles.join("\n"));
  const still = await openPage({ still: true });
  expect("who asks for less motion gets no play button", (await still.ask(`document.querySelectorAll('[aria-label="play"]').length`)) === 0);
  await still.ask(`${figure("softmax")}.querySelector('[aria-label="a step on"]').click()`), await settled(still, "softmax");
  expect("but steps", /Temperature 1\.1/.test(await says(still, "softmax")), await says(still, "softmax"));
}

/* Each stop of the explorer's tour: what it frames is there, and the numbers that it says are those of the page, which are the program's (browser.mjs). */
async function tour() {
  const scripts = ["playground-data.js", "strata.js", "tour.js", "explorer.js"].map((name) => `<script src="playground/${name}"></script>`).join("");
  writeFileSync(join(site, "explorer.html"), `<!doctype html><html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="assets/strata.css"><style>html { font-size: 125% }</style><body data-md-color-scheme="default"><div id="strata-explorer" data-head="2.1"></div>${scripts}`);
  const page = await chrome.page({ width: 390 }), address = pathToFileURL(join(site, "explorer.html")).href, ready = () => page.until(`document.getElementById("strata-explorer")?.dataset.ready === "yes"`);
  await page.go(address), await ready();
  expect("no tour unless asked for", await page.ask(`document.querySelector(".ex-tour").hidden`));
  await page.ask(`[...document.querySelectorAll("button")].find((b) => b.textContent.startsWith("Guided tour")).click()`);
  const told = () => page.ask(`document.querySelector(".ex-tour p").textContent`), share = (from) => page.ask(`parseFloat(document.querySelector('[data-keep="0t${from}"]').style.getPropertyValue("--looks")) / 100`);
  const lens = (row) => page.ask(`(() => { const word = document.querySelectorAll(".ex-journey tbody tr")[${row}].querySelector(".ex-word"); return [...word.childNodes].map((node) => node.textContent); })()`);
  const says = { 1: async () => [(await page.ask(`String(document.querySelectorAll(".ex-token").length)`)), "drawer takes three"], 3: async () => [(await share(11)).toFixed(2)], 4: async () => [(await share(12)).toFixed(3)],
    5: async () => { const [before, after, last] = [await lens(4), await lens(5), await lens(6)]; expect("said before, Daisy after", before[0] === "␣said" && after[0] === "␣Daisy" && last[0] === "␣Daisy", `${before} ${after} ${last}`); return [after[1], last[1]]; },
    6: async () => [(await lens(6))[1]], 7: async () => [(await lens(6))[1]], 8: async () => [(await lens(6))[1]], 9: async () => [await page.ask(`document.querySelectorAll(".ex-page")[1].querySelectorAll(".ex-held").length > 0 && document.querySelectorAll(".ex-page")[0].children.length === 64 ? "pages of 64" : "?"`)], 10: async () => ["fewer candidates"], 2: async () => ["eight attention heads"] };
  for (let stop = 1; stop <= 10; stop++) {
    if (stop > 1) await page.key("n", 78, "n");
    expect(`stop ${stop} is in the address`, new RegExp(`tour=${stop}(&|$)`).test(await page.ask("location.hash")), await page.ask("location.hash"));
    expect(`stop ${stop} frames something, and all fits`, (await page.ask(`document.querySelectorAll(".ex-look").length`)) > 0 && (await page.ask("document.documentElement.scrollWidth")) <= 390, await page.ask("document.documentElement.scrollWidth"));
    const words = await told();
    for (const number of await says[stop]()) expect(`stop ${stop} says ${number}`, words.includes(number), words);
  }
  expect("it ends with questions", (await page.ask(`document.querySelectorAll(".ex-tour li").length`)) >= 3);
  const cut = await page.ask(`[...document.querySelectorAll(".ex-journey td:last-child .ex-word")].filter((word) => word.getBoundingClientRect().right > innerWidth).length`);
  expect("the last column is whole on a phone", cut === 0, cut);
  await page.key("n", 78, "n"), await page.key("p", 80, "p");
  expect("p goes back", /^Keys and values/.test(await told()), await told());
  await page.go("about:blank"), await page.go(address + "#tour=6"), await ready();
  expect("a link leads to a stop", /0\.100/.test(await told()) && /head%3A2\.1/.test(await page.ask("location.hash")), await told());
  await page.key("Escape", 27);
  expect("Escape ends it", await page.ask(`document.querySelector(".ex-tour").hidden && !location.hash.includes("tour") && !document.querySelector(".ex-look")`));
  expect("no error in the tour", page.troubles.length === 0, page.troubles.join("\n"));
}

try {
  writeFileSync("build/moving_logits", "2\n1\n0\n-1\n-2\n");
  numbers();
  await pictures();
  await hands();
  await tour();
} catch (problem) {
  failures++;
  console.error(problem.message);
}
await chrome.close();
if (failures) process.exit(1);
console.log(`${names.length} pictures that move: ${checks} things hold`);
