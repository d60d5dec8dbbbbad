// hands.mjs - for the browser tests: a page with one tool of the site, and what a reader does with it.
//
//     const page = await openTool(chrome, folder, "strata-lab", ["lab.js"], "#chain=greedy", 390); await press(page, "Stop");
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/* The tool in a page of its own; folder: where playground-data.js lies.  The last script starts it. */
export async function openTool(chrome, folder, root, scripts, words, width = 1200) {
  const file = (path) => pathToFileURL(resolve(path)).href, name = scripts.at(-1) + ".html";
  const html = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">${["strata", "lab"].map((css) => `<link rel="stylesheet" href="${file(`docs/assets/${css}.css`)}">`).join("")}<style>html { font-size: 125% }</style><body data-md-color-scheme="default"><div id="${root}"></div>` +
    [...["playground-data.js", "frontier-data.js"].map((data) => folder + "/" + data), ...["strata.js", "chain.js", ...scripts].map((script) => "docs/playground/" + script)].map((path) => `<script src="${file(path)}"></script>`).join("");
  writeFileSync(join(chrome.folder, name), html);
  const page = await chrome.page({ width });
  await page.go(file(join(chrome.folder, name)) + words);
  await page.until(`document.getElementById("${root}")?.querySelector("button") != null`);
  return page;
}

/* What a hand does. */
export const press = (page, name, times = 1) => page.ask(`{ const b = [...document.querySelectorAll("button")].find((b) => b.textContent === ${JSON.stringify(name)} || b.ariaLabel === ${JSON.stringify(name)}); for (let i = 0; i < ${times}; i++) b.click(); }`);
export const type = (page, label, words) => page.ask(`{ const e = document.querySelector('[aria-label="${label}"]'); e.value = ${JSON.stringify(words)}; e.dispatchEvent(new Event(e.tagName === "SELECT" ? "change" : "input")); e.dispatchEvent(new Event("change")); }`);
export const alert = (page) => page.ask(`document.querySelector("[role=alert]").textContent`);
export const focused = (page) => page.ask("document.activeElement.ariaLabel ?? document.activeElement.textContent");

/* What a finger could miss: narrower or lower than 44 pixels.  Words of a text are as narrow as they are. */
export const tooSmall = (page) => page.ask(`[...document.querySelectorAll("button, input:not([type=checkbox]), select, textarea, summary, .ex-check")].filter((e) => { const { width, height } = e.getBoundingClientRect(); return width && (height < 44 || (width < 44 && !e.matches(".pg-token"))); }).map((e) => e.outerHTML.slice(0, 90)).join("\\n")`);
