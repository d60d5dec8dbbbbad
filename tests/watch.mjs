// watch.mjs - a service, step by step, in a browser: docs/assets/watch.js draws what docs/examples/watch_service.c writes.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const BUILD = "make -s lib && ${CC:-cc} docs/examples/watch_service.c -Ibuild/include -Lbuild/lib -lstrata -lm -lpthread -o build/watch_service";
const count = (list, what) => list.reduce((n, item) => n + what(item), 0);

/* What the trace itself must hold: nobody reads more than there is room for, and no page is nobody's. */
function isSound(trace, expect) {
  const { counts, requests, steps } = trace, jobs = steps.flatMap((step) => step.jobs), found = new Map();
  for (const step of steps) {
    const own = count(step.jobs, (job) => job[4]), read = count(step.jobs, (job) => job[2]);
    expect("each page has one owner", own + step.free + step.kept + step.shared === trace.pages && step.free >= 0, JSON.stringify(step));
    expect("a batch has so many places", read <= trace.budget, JSON.stringify(step));
  }
  for (const job of jobs) if (job[5] === "in" && !found.has(job[0])) found.set(job[0], job[3]);
  expect("what was found is what the service has counted", count([...found.values()], (n) => n) === counts.cached_tokens, `${[...found]}`);
  expect("what was sent out is what the service has counted", jobs.filter((job) => job[5] === "out").length === counts.preempted && counts.preempted > 0);
  expect("all prompts are counted", count(requests, (r) => r.prompt) === counts.prompt_tokens);
  expect("all answers are written", count(requests, (r) => r.answer) === counts.tokens && jobs.filter((job) => job[5] === "end").length === requests.length);
}

async function open(chrome, trace, options) {
  const file = (path) => pathToFileURL(resolve(path)).href, name = join(chrome.folder, "watch.html");
  writeFileSync(name, `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="${file("docs/assets/strata.css")}"><body data-md-color-scheme="default">` +
    `<figure class="watch"><script type="application/json">${JSON.stringify(trace)}</script></figure><script src="${file("docs/assets/watch.js")}"></script>`);
  const page = await chrome.page(options);
  if (options.still) await page.still();
  await page.go(file(name));
  await page.until(`document.querySelector(".watch[data-ready]") != null`);
  return page;
}

const at = (page) => page.ask(`+document.querySelector(".watch").dataset.step`);
const press = (page, name) => page.ask(`document.querySelector('.watch [aria-label="${name}"]').click()`);

/* What stands there is what the trace says of this step. */
async function shows(page, trace, step, expect) {
  const now = trace.steps[step], rows = await page.ask(`[...document.querySelectorAll(".w-row")].map((row) => [...row.querySelectorAll(".w-cell")].map((cell) => cell.className))`);
  const [batch, memory] = rows, of = (list, kind) => list.filter((name) => name.split(" ").includes(kind)).length, where = `at step ${step}: ${rows}`;
  expect("a place for each token of the budget", batch.length === trace.budget && memory.length === trace.pages, where);
  for (const [request, , tokens, , pages] of now.jobs)
    expect("tokens and pages of a request", of(batch, `w-${request}`) === tokens && of(memory, `w-${request}`) === pages, `${request} ${where}`);
  for (const kind of ["free", "kept", "shared"]) expect(`pages that are ${kind}`, of(memory, "w-" + kind) === now[kind], where);
  expect("steps to come are faint", (await page.ask(`document.querySelectorAll(".w-when .w-later").length`)) === trace.steps.length - 1 - step, where);
}

export async function watch(chrome, expect, model) {
  execFileSync("sh", ["-c", BUILD]);
  const trace = JSON.parse(execFileSync("build/watch_service", [model], { encoding: "utf8" })), last = trace.steps.length - 1, { counts } = trace;
  isSound(trace, expect);
  for (const options of [{ width: 1000 }, { width: 390, dark: true }]) {
    const page = await open(chrome, trace, options);
    expect("it stands at its end, whole", (await at(page)) === last);
    const sums = await page.ask(`document.querySelector(".w-sums").textContent`);
    expect("the sums are those that the service has counted", sums.includes(` ${counts.cached_tokens} found`) && sums.includes(` ${counts.tokens} generated`) && sums.includes(` ${counts.preempted} preempted`), sums);
    await shows(page, trace, last, expect);
    await page.ask(`document.querySelector(".watch").focus()`);
    await page.key("Home", 36);
    expect("Home goes to the first step", (await at(page)) === 0);
    for (let i = 0; i < 3; i++) await page.key("ArrowRight", 39);
    await page.key("ArrowLeft", 37);
    await shows(page, trace, 2, expect);
    const out = trace.steps.findIndex((step) => step.jobs.some((job) => job[5] === "out"));
    await page.ask(`{ const scrub = document.querySelector(".watch input"); scrub.value = ${out}; scrub.dispatchEvent(new Event("input")); }`);
    await shows(page, trace, out, expect);
    await page.key(" ", 32, " ");
    await page.until(`+document.querySelector(".watch").dataset.step > ${out}`);
    await press(page, "pause");
    const stopped = await at(page);
    await new Promise((later) => setTimeout(later, 400));
    expect("a pause holds", (await at(page)) === stopped, `${await at(page)} after ${stopped}`);
    await page.key("End", 35), await press(page, "play");
    expect("at its end it begins anew", (await at(page)) === 0);
    await press(page, "pause");
    expect("no wider than the window", await page.ask("document.documentElement.scrollWidth <= innerWidth"));
    expect("no error", page.troubles.length === 0, page.troubles.join("\n"));
  }
  const page = await open(chrome, trace, { still: true });
  expect("who asks for less motion gets a still that can be stepped through", (await page.ask(`document.querySelector('.watch [aria-label="play"]')`)) === null && (await at(page)) === last);
  await press(page, "a step back");
  expect("a step back", (await at(page)) === last - 1);
}
