// browser.mjs - the pages in a real browser, headless: the explorer, the playground and the watched service show what the program computes.
//
//     node tests/browser.mjs STRATA FOLDER [BROWSER]      the program, where playground-data.js lies, and chromium
//
// The browser is driven through two pipes, by the DevTools protocol; pages come from the disk, nothing from a network.
import { execFileSync } from "node:child_process";
import { openChrome } from "./chrome.mjs";
import { alert, focused, openTool, press, tooSmall, type } from "./hands.mjs";
import { watch } from "./watch.mjs";

const [program, folder, browser = "chromium"] = process.argv.slice(2), MODEL = "layer5_models/models/storyteller.gguf";
const chrome = await openChrome(browser);
let failures = 0, checks = 0;

function expect(what, holds, told = "") {
  checks++;
  if (holds) return;
  failures++;
  console.error(`${what} ${told}`);
}

const openPage = (root, script, words, width) => openTool(chrome, folder, root, script === "explorer.js" ? ["tour.js", script] : [script], words, width);

const run = (...words) => execFileSync(program, [...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const PROMPT = "Once upon a time there was a";

// ------------------------------------------------------------------ the explorer
async function explorer() {
  const page = await openPage("strata-explorer", "explorer.js", `#${new URLSearchParams({ p: PROMPT, head: "1.2", chain: "greedy" })}`);
  await page.until(`document.getElementById("strata-explorer").dataset.ready === "yes"`);
  const rows = (...words) => run("look", ...words, "-m", MODEL, "-p", PROMPT, "--csv", "--isa", "scalar").trim().split("\n").slice(1).map((line) => line.split(","));

  const shares = await page.ask(`[...document.querySelectorAll(".ex-token")].map((chip) => parseFloat(chip.style.getPropertyValue("--looks")))`);
  const weights = rows("attention", "--head", "1.2").filter((row) => row[2] === "7").map((row) => 100 * row[4]);
  expect("where head 1.2 looks", shares.length === 8 && shares.every((share, i) => Math.abs(share - weights[i]) < 0.11), `${shares} for ${weights}`);

  const lens = await page.ask(`[...document.querySelectorAll(".ex-journey tbody tr")].map((row) => [...row.querySelectorAll(".ex-word small")].map((word) => +word.textContent))`);
  const told = rows("lens", "--top", "3");
  expect("seven places of the lens", lens.length === 7);
  lens.flat().forEach((share, i) => expect("a word of the lens", Math.abs(share - told[i][5]) < 0.002, `${share} for ${told[i]}`));

  const sizes = await page.ask(`[...document.querySelectorAll(".ex-journey tbody td:nth-child(3) span")].map((cell) => +cell.textContent)`);
  const stream = rows("stream").filter((row) => row[0] === "7");
  sizes.forEach((size, i) => expect("the stream's size", Math.abs(size - stream[i][3]) < 0.02, `${size} for ${stream[i]}`));

  const written = () => page.ask(`[...document.querySelectorAll(".ex-written small")].map((id) => id.textContent).join(" ")`);
  const natively = (...words) => run("generate", "-m", MODEL, "-p", PROMPT, "--chain", "greedy", "-n", "12", "--ids", "--no-prompt", "--quiet", "--isa", "scalar", ...words).trim();
  await press(page, "Step", 12);
  expect("twelve tokens", (await written()) === natively(), await written());
  await press(page, "silence head 0.6");
  await press(page, "Back");
  expect("a click silences a head, and the address says so", /acts=head%3A0.6%3D0/.test(await page.ask("location.hash")), await page.ask("location.hash"));
  expect("the same without head 0.6", (await written()) === natively("--scale-head", "0.6=0").split(" ").slice(0, 11).join(" "), await written());
  expect("focus stays on what was pressed", (await page.ask(`{ const b = document.querySelector('[aria-label="silence head 1.0"]'); b.focus(); b.click(); document.activeElement.ariaLabel }`)) === "silence head 1.0");
  await page.key("ArrowLeft", 37);
  expect("an arrow goes to the token before", /&at=1[78]\b/.test(await page.ask("location.hash")), await page.ask("location.hash"));
  await press(page, "Play", 7); // started, stopped, ..., started
  await page.until(`document.querySelectorAll(".ex-written").length > 12`);
  await press(page, "Stop");
  await type(page, "changed", "head:9.9=0");
  expect("what is not there is refused in the library's words", /no layer 9/.test(await alert(page)));

  /* Addresses that nobody would write. */
  for (const [words, said] of [[{ p: "", head: "99.x", at: "1e9", steps: "-3", seed: "x" }, /^$/], [{ p: "word ".repeat(5000) }, /the explorer can look at 192/], [{ p: "a\0b" }, /zero byte/],
    [{ p: PROMPT, compare: 1, patch: "x" }, /wanted LAYER.TOKEN/], [{ p: PROMPT, chain: "x".repeat(900) }, /no stage/], [{ p: PROMPT, acts: "layer:0=1e30" }, /scale of 1e\+30/]]) {
    const odd = await openPage("strata-explorer", "explorer.js", "#" + new URLSearchParams(words));
    await odd.until(`document.getElementById("strata-explorer").dataset.ready === "yes"`);
    expect(`the address says ${JSON.stringify(words).slice(0, 60)}`, said.test(await alert(odd)) && !odd.troubles.length, await alert(odd) + odd.troubles);
    await type(odd, "prompt", PROMPT), await type(odd, "chain", "greedy"), await type(odd, "changed", ""), await type(odd, "patch", "");
    expect("and a good text is read afterwards", (await odd.ask(`document.querySelectorAll(".ex-side:not([hidden]) .ex-token").length`)) >= 8, await alert(odd));
    await odd.close();
  }
  const far = await openPage("strata-explorer", "explorer.js", "#" + new URLSearchParams({ p: PROMPT, head: "9.9", at: 500, steps: 100000000, chain: "greedy" }));
  await far.until(`document.getElementById("strata-explorer").dataset.ready === "yes"`);
  expect("as many steps as there are, the last head, the last token", /head=2.7.*steps=\d{2,3}$/.test(await far.ask("location.hash")), await far.ask("location.hash"));

  const two = await openPage("strata-explorer", "explorer.js", `#${new URLSearchParams({ p: PROMPT, p2: "Once upon a day there was a", compare: 1, patch: "2.7", chain: "greedy" })}`, 390);
  await two.until(`document.getElementById("strata-explorer").dataset.ready === "yes"`);
  const ends = await two.ask(`[...document.querySelectorAll(".ex-side")].map((side) => [...side.querySelectorAll(".ex-journey tbody tr:last-child .ex-word")].map((word) => word.textContent).join(" "))`);
  expect("a stream that is put in says what it said", ends.length === 2 && ends[0] === ends[1] && ends[0] !== "", ends.join(" | "));
  expect("what a finger can hit in the explorer", (await tooSmall(two)) === "", await tooSmall(two));
  expect("390 pixels are enough", (await two.ask("document.documentElement.scrollWidth")) <= 390, await two.ask("document.documentElement.scrollWidth"));
}

// ------------------------------------------------------------------ the playground
async function playground() {
  const page = await openPage("strata-playground", "page.js", `?${new URLSearchParams({ chain: "top_k:40,top_p:0.9,temp:0.8", prompt: PROMPT, seed: 3 })}`);
  await page.until(`document.querySelector(".pg-table table") != null`);
  const text = () => page.ask(`document.querySelector(".pg-text").textContent`), hash = () => page.ask("new Promise((told) => setTimeout(() => told(location.hash), 100))");
  await press(page, "Next token", 12);
  const native = run("generate", "-m", MODEL, "-p", PROMPT, "--chain", "top_k:40,top_p:0.9,temp:0.8", "--seed", "3", "-n", "12", "--quiet", "--isa", "scalar");
  expect("twelve tokens of the playground", (await text()).trim() === native.trim(), `${await text()} | ${native}`);

  const written = await text(), address = await hash();
  await type(page, "seed", "9");
  expect("another seed leaves the text, and is in the address", (await text()) === written && /seed=9/.test(await hash()), await hash());
  const again = await openPage("strata-playground", "page.js", address);
  await again.until(`document.querySelector(".pg-token") != null`);
  expect("the address holds the text", (await again.ask(`document.querySelector(".pg-text").textContent`)) === written);
  await again.close();

  const rows = (stage) => page.ask(`[...document.querySelectorAll(".pg-table tbody tr")].map((row) => +row.querySelectorAll("td")[${stage}].textContent || 0)`);
  const left = () => page.ask(`[...document.querySelectorAll(".pg-table thead small")].map((cell) => cell.textContent).join(", ")`);
  await type(page, "notation", "choice"), await type(page, "grammar", "\u{1F98A}|(");
  await press(page, "Next token", 4);
  expect("a letter of several tokens", /\u{1F98A}$|\($/u.test((await text()).replace(/ ∎.*/, "")), await text());
  await type(page, "notation", "regex"), await type(page, "grammar", "[");
  expect("a grammar that is none is marked", (await page.ask(`document.querySelector('[aria-label="grammar"]').getAttribute("aria-invalid")`)) === "true" && (await alert(page)) !== "", await alert(page));
  await type(page, "notation", ""), await type(page, "chain", "temp:1.5,top_k:300");
  expect("what is left after each stage", /^2048 left, 2048 left, 300 left, 300 left$/.test(await left()), await left());
  expect("an infinite temperature makes all alike", await (async () => { await type(page, "chain", "temp:100"); const p = await rows(1); return p.every((x) => x < 0.002); })());

  await type(page, "chain", "top_k:40,top_p:0.9,temp:0.8");
  await page.ask(`(async () => { const slider = document.querySelector('[aria-label="temp t"]'); for (const t of [0.5, 1, 2]) slider.value = t, slider.dispatchEvent(new Event("input")); for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); })()`);
  expect("a slider moves the chain", /temp:2,draw$/.test(await page.ask(`document.querySelector('[aria-label="chain"]').value`)), await page.ask(`document.querySelector('[aria-label="chain"]').value`));
  expect("what must choose cannot be taken away", await page.ask(`document.querySelector('[aria-label^="a chain needs a last stage"]').disabled`));
  await page.ask(`document.querySelector('[aria-label="earlier top_p"]').focus()`);
  await page.key("Enter", 13, "\r");
  expect("a stage that went first keeps the focus", (await focused(page)) === "later top_p" && /^#chain=top_p/.test(await hash()), await focused(page));
  await page.ask(`document.querySelector('[aria-label="remove top_p"]').focus()`);
  await page.key("Enter", 13, "\r");
  expect("what was removed leaves the focus in the chain", /top_k/.test(await focused(page)), await focused(page));
  await page.ask(`document.querySelector(".pg-table tbody button").focus()`);
  await page.key("Enter", 13, "\r");
  expect("a token that was taken leaves the focus in the table", await page.ask(`document.activeElement.closest(".pg-table tbody tr") === document.querySelector(".pg-table tbody tr")`), await focused(page));
  expect("what is read by few is folded away", await page.ask(`document.querySelector('[aria-label="temp range"]').closest("details") != null && document.querySelector('[aria-label="temp t"]').closest("details") == null`));
  await type(page, "chain", "nonsense");
  expect("an error is a sentence", /no stage 'nonsense'/.test(await alert(page)) && (await alert(page)).length < 120, await alert(page));
  await type(page, "prompt", "word ".repeat(20000));
  expect("a prompt that is too long", /shorten it/.test(await alert(page)), await alert(page));
  await type(page, "prompt", PROMPT);
  await press(page, "Generate", 9); // started, stopped, ..., started
  await page.until(`document.querySelectorAll(".pg-token").length > 3`);
  await press(page, "Stop");
  expect("no trouble was logged", !page.troubles.length, page.troubles);

  for (const words of ["chain=temp:1e9", "chain=%00&prompt=%00&seed=-1", "seed=1e99&text=1.2.x", "text=999999", "text=" + Array(3000).fill(5).join("."), "prompt=%EF%BF%BE%F0%9F%92%A9", "chain=" + "temp:1,".repeat(500)]) {
    const odd = await openPage("strata-playground", "page.js", "#" + words);
    expect(`the address says ${words.slice(0, 40)}`, !odd.troubles.length && (words.startsWith("prompt") || (await alert(odd)) !== ""), odd.troubles + (await alert(odd)));
    await type(odd, "prompt", PROMPT), await press(odd, "Next token");
    expect("and it writes afterwards", (await odd.ask(`document.querySelectorAll(".pg-token").length`)) === 1, await alert(odd));
    await odd.close();
  }
  const phone = await openPage("strata-playground", "page.js", "", 390);
  await phone.until(`document.querySelector(".pg-table table") != null`);
  expect("what a finger can hit in the playground", (await tooSmall(phone)) === "", await tooSmall(phone));
  expect("the playground on a phone", (await phone.ask("document.documentElement.scrollWidth")) <= 390, await phone.ask("document.documentElement.scrollWidth"));
  expect("its table is whole, or says that it goes on", await phone.ask(`{ const t = document.querySelector(".pg-table"); t.scrollWidth <= t.clientWidth || !document.querySelector(".pg-slide").hidden }`));
  const speed = await page.ask(`(async () => {
    const unpack = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)), strata = await openStrata(unpack(window.strata.wasm), unpack(window.strata.model));
    strata.begin("Once upon a time"), strata.chain("temp:1", 1);
    const start = performance.now();
    for (let i = 0; i < 100; i++) { strata.choose(); strata.take(strata.ends(strata.chosen()) ? 300 : strata.chosen()); }
    return 100000 / (performance.now() - start);
  })()`);
  console.log(`${speed.toFixed(0)} tokens/s in the browser`);
}

try {
  await explorer();
  await playground();
  await watch(chrome, expect, MODEL);
} catch (problem) {
  failures++;
  console.error(problem.message);
}
await chrome.close();
if (failures) process.exit(1);
console.log(`${checks} things that the pages show are what the program computes`);
