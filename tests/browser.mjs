// browser.mjs - the pages in a real browser, headless: the explorer and the playground show what the program computes.
//
//     node tests/browser.mjs STRATA FOLDER [BROWSER]      the program, where playground-data.js lies, and chromium
//
// The browser is driven through two pipes, by the DevTools protocol; pages come from the disk, nothing from a network.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [program, folder, browser = "chromium"] = process.argv.slice(2), MODEL = "layer5_models/models/storyteller.gguf";
const work = mkdtempSync(join(tmpdir(), "strata-browser-"));
let failures = 0, checks = 0;

function expect(what, holds, told = "") {
  checks++;
  if (holds) return;
  failures++;
  console.error(`${what} ${told}`);
}

// ------------------------------------------------------------------ the browser
const chrome = spawn(browser, ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--allow-file-access-from-files", "--user-data-dir=" + work, "--remote-debugging-pipe", "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const waiting = new Map();
let number = 0, left = "";
chrome.on("error", (problem) => { console.error(`${browser}: ${problem.message}`); process.exit(1); });
chrome.stdio[4].on("data", (bytes) => {
  const messages = (left + bytes).split("\0");
  left = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) waiting.get(message.id)?.(message), waiting.delete(message.id);
});
const send = (method, params = {}, sessionId) => new Promise((done, fail) => {
  waiting.set(++number, (message) => (message.error ? fail(new Error(method + ": " + message.error.message)) : done(message.result)));
  chrome.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId }) + "\0");
});

async function openPage(root, script, words, width = 1200) {
  const file = (path) => pathToFileURL(resolve(path)).href;
  const page = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="${file("docs/assets/strata.css")}"><body data-md-color-scheme="default"><div id="${root}"></div>` +
    [folder + "/playground-data.js", "docs/playground/strata.js", "docs/playground/" + script].map((path) => `<script src="${file(path)}"></script>`).join("");
  writeFileSync(join(work, script + ".html"), page);
  const { targetId } = await send("Target.createTarget", { url: "about:blank" }), { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  await send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 }, sessionId);
  await send("Page.navigate", { url: file(join(work, script + ".html")) + words }, sessionId);
  const ask = async (expression) => {
    const answer = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }, sessionId);
    if (answer.exceptionDetails) throw new Error(expression + ": " + JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  };
  const until = async (expression) => {
    for (let i = 0; i < 600; i++) {
      if (await ask(expression)) return;
      await new Promise((next) => setTimeout(next, 100));
    }
    throw new Error("a minute went by without: " + expression);
  };
  await until(`document.getElementById("${root}")?.querySelector("button") != null`);
  return { ask, until };
}

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
  const step = (times) => page.ask(`{ const step = [...document.querySelectorAll("button")].find((b) => b.textContent === "Step"); for (let i = 0; i < ${times}; i++) step.click(); }`);
  const natively = (...words) => run("generate", "-m", MODEL, "-p", PROMPT, "--chain", "greedy", "-n", "12", "--ids", "--no-prompt", "--quiet", "--isa", "scalar", ...words).trim();
  await step(12);
  expect("twelve tokens", (await written()) === natively(), await written());
  await page.ask(`document.querySelector('[aria-label="silence head 0.6"]').click()`);
  await page.ask(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Back").click()`);
  expect("a click silences a head, and the address says so", /acts=head%3A0.6%3D0/.test(await page.ask("location.hash")), await page.ask("location.hash"));
  expect("the same without head 0.6", (await written()) === natively("--scale-head", "0.6=0").split(" ").slice(0, 11).join(" "), await written());
  expect("focus stays on what was pressed", (await page.ask(`{ const b = document.querySelector('[aria-label="silence head 1.0"]'); b.focus(); b.click(); document.activeElement.ariaLabel }`)) === "silence head 1.0");
  await page.ask(`{ const input = document.querySelector('[aria-label="changed"]'); input.value = "head:9.9=0"; input.dispatchEvent(new Event("change")); }`);
  expect("what is not there is refused in the library's words", /no layer 9/.test(await page.ask(`document.querySelector("[role=alert]").textContent`)));

  const two = await openPage("strata-explorer", "explorer.js", `#${new URLSearchParams({ p: PROMPT, p2: "Once upon a day there was a", compare: 1, patch: "2.7", chain: "greedy" })}`, 390);
  await two.until(`document.getElementById("strata-explorer").dataset.ready === "yes"`);
  const ends = await two.ask(`[...document.querySelectorAll(".ex-side")].map((side) => [...side.querySelectorAll(".ex-journey tbody tr:last-child .ex-word")].map((word) => word.textContent).join(" "))`);
  expect("a stream that is put in says what it said", ends.length === 2 && ends[0] === ends[1] && ends[0] !== "", ends.join(" | "));
  expect("390 pixels are enough", (await two.ask("document.documentElement.scrollWidth")) <= 390, await two.ask("document.documentElement.scrollWidth"));
}

// ------------------------------------------------------------------ the playground
async function playground() {
  const page = await openPage("strata-playground", "page.js", `?${new URLSearchParams({ chain: "top_k:40,top_p:0.9,temp:0.8", prompt: PROMPT, seed: 3 })}`);
  await page.until(`document.querySelector(".pg-table table") != null`);
  await page.ask(`{ const next = [...document.querySelectorAll("button")].find((b) => b.textContent === "Next token"); for (let i = 0; i < 12; i++) next.click(); }`);
  const text = await page.ask(`document.querySelector(".pg-text").textContent`);
  const native = run("generate", "-m", MODEL, "-p", PROMPT, "--chain", "top_k:40,top_p:0.9,temp:0.8", "--seed", "3", "-n", "12", "--quiet", "--isa", "scalar");
  expect("twelve tokens of the playground", text.trim() === native.trim(), `${text} | ${native}`);
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
} catch (problem) {
  failures++;
  console.error(problem.message);
}
await send("Browser.close").catch(() => {});
await new Promise((next) => chrome.once("exit", next));
rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
if (failures) process.exit(1);
console.log(`${checks} things that the pages show are what the program computes`);
