// lab.mjs - the frontier lab in a real browser: its stories and numbers are those of strata compare.
//
//     node tests/lab.mjs STRATA FOLDER [BROWSER]      the program, where playground-data.js lies, and chromium
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openChrome } from "./chrome.mjs";
import { alert, focused, openTool, tooSmall, type } from "./hands.mjs";

const [program, folder, browser = "chromium"] = process.argv.slice(2), MODEL = "layer5_models/models/storyteller.gguf", N = 4, SEED = 5, CHAINS = ["temp:1.2", "top_p:0.8"];
const chrome = await openChrome(browser);
let failures = 0, checks = 0;

function expect(what, got, wanted) {
  checks++;
  if (got === wanted) return;
  failures++;
  console.error(`${what}\n  got     ${JSON.stringify(got)}\n  wanted  ${JSON.stringify(wanted)}`);
}

const open = (words, width) => openTool(chrome, folder, "strata-lab", ["team.js", "plot.js", "lab.js"], words && "#" + new URLSearchParams(words), width);
const done = (page) => page.until(`document.getElementById("strata-lab").dataset.state === "done"`);
const cells = (page, row) => page.ask(`[...document.querySelectorAll('#strata-lab [${row}] td')].map((cell) => cell.textContent)`);
const hash = (page) => page.ask("new Promise((told) => setTimeout(() => told(location.hash), 100))");
const percent = (share) => (100 * share).toFixed(1);

/* What the program says: the table, and each text with its verdict. */
function natively() {
  const html = join(chrome.folder, "compare.html");
  const options = ["compare", "-m", MODEL, "--documents", N, "--seed", SEED, "--isa", "scalar", "--json", "--html", html, "--chains", ...CHAINS].map(String);
  const table = JSON.parse(execFileSync(program, options, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })).chains;
  const plain = (text) => text.replace(/<[^>]*>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&amp;/g, "&");
  const texts = [...readFileSync(html, "utf8").matchAll(/<article><h3>.*?<\/h3>([^]*?)\n<small[^>]*>([^]*?)<\/small><\/article>/g)].map(([, text, verdict]) => ({ text: plain(text), verdict: plain(verdict) }));
  return { table, texts };
}

try {
  const { table, texts } = natively();
  const page = await open({ chain: CHAINS[0], chain2: CHAINS[1], seed: SEED, n: N });
  await done(page);

  // The numbers of both chains, and what broke.
  for (const [i, label] of ["A", "B"].entries()) {
    const { valid, kept, not_valid } = table[i];
    const wanted = [valid, kept].flatMap((share) => [percent(share.mean) + " %", `${percent(share.low)} to ${percent(share.high)} %`]);
    expect(`true and kept of ${CHAINS[i]}`, (await cells(page, `data-chain="${label}"`)).join("; "), wanted.join("; "));
    const counts = (words) => (words.match(/[a-z]+ \d+/g) ?? []).sort().join(", ");
    expect(`what broke under ${CHAINS[i]}`, counts((await cells(page, `data-why="${label}"`))[1]), counts(not_valid));
  }

  // Each story, with its verdict.
  for (let story = 0; story < N; story++) {
    await page.ask(`document.querySelectorAll(".lab-grid-of")[0].children[${story}].click()`);
    const shown = await page.ask(`[...document.querySelectorAll("#strata-lab article")].map((article) => ({ text: article.querySelector(".lab-text").textContent.replace(/∎$/, ""), verdict: article.querySelector("b").textContent }))`);
    shown.forEach(({ text, verdict }, i) => {
      const native = texts[2 * story + i];
      expect(`story ${story + 1} under ${CHAINS[i]}`, text.trim(), native.text.trim());
      const reason = /\((.*?)\)/;
      expect(`its verdict`, verdict.match(reason)?.[1], native.verdict.match(/^not valid/) ? native.verdict.match(reason)[1] : undefined);
    });
  }
  expect("a broken story has its place marked", await page.ask(`[...document.querySelectorAll("#strata-lab article")].every((article) => (article.querySelector("mark") != null) === (article.querySelector(".fault") != null))`), true);
  expect("differing tokens are marked", await page.ask(`document.querySelectorAll("#strata-lab .lab-differs").length > 10`), true);
  expect("a dot for each chain", await page.ask(`[...document.querySelectorAll(".lab-dot text")].map((label) => label.textContent).join("")`), "AB");
  expect("the measured ones, too", await page.ask(`document.querySelectorAll(".lab-measured").length > 40`), true);
  expect("nothing was logged", String(page.troubles), "");

  // The keyboard goes from story to story; the address says which.
  await page.ask(`document.querySelectorAll(".lab-grid-of")[0].children[${N - 1}].focus()`);
  await page.key("ArrowLeft", 37);
  expect("an arrow goes to the story before", (await focused(page)).split(":")[0], `story ${N - 1}`);
  expect("the address", await hash(page), "#" + new URLSearchParams({ chain: CHAINS[0] + ",draw", seed: SEED, n: N, chain2: CHAINS[1] + ",draw", story: N - 1 }));

  // A slider moves the chain, and its dot walks.
  await type(page, "chain B", "");
  const at = () => page.ask(`{ const dot = document.querySelector(".lab-A circle"); dot.getAttribute("cx") + " " + dot.getAttribute("cy") }`), before = await at();
  await page.ask(`{ const slider = document.querySelector('[aria-label="temp t"]'); slider.value = 0.5; slider.dispatchEvent(new Event("input")); }`);
  await page.until(`document.querySelectorAll(".lab-step").length === 1`);
  await done(page);
  expect("the chain that the slider set", await page.ask(`document.querySelector('[aria-label="chain A"]').value`), "temp:0.5,draw");
  expect("the dot moved", (await at()) !== before, true);

  // What is refused; and an odd address.
  await type(page, "chain A", "nonsense");
  expect("an error is a sentence", /no stage 'nonsense'/.test(await alert(page)), true);
  await type(page, "chain A", "contrast:0.1");
  await done(page);
  expect("a stage that needs a second model", /contrast/.test(await alert(page)), true);
  await page.close();
  const odd = await open({ chain: "temp:1e9", chain2: "x", seed: -3, n: 99999, story: "x" });
  expect("an address with a wrong chain", /temp/.test(await alert(odd)) && !odd.troubles.length, true);
  await odd.close();

  // On a phone.
  const phone = await open({ chain: "greedy", n: 2 }, 390);
  await done(phone);
  expect("390 pixels are enough", (await phone.ask("document.documentElement.scrollWidth")) <= 390, true);
  expect("what a finger can hit", (await tooSmall(phone)).split("\n").filter((line) => line && !/aria-label="story/.test(line)).join("\n"), "");
} catch (problem) {
  failures++;
  console.error(problem.message);
}
await chrome.close();
if (failures) process.exit(1);
console.log(`${checks} things that the lab shows are what strata compare computes`);
