// walk.mjs - the pages of the site in a real browser, at three widths, light and dark.
//
//     node tests/walk.mjs SITE [BROWSER [PAGE ...]]       EVERY=4: each fourth page, as in `make check`
//
// No page logs an error or lacks a file, none is wider than its window, no drawing or figure cuts or hides its words, no picture is without words of
// its own, and what one presses is as large as a fingertip (24 pixels: WCAG 2.5.8, which leaves links in a sentence out).
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openChrome } from "./chrome.mjs";

const [site, browser = "chromium", ...only] = process.argv.slice(2);
const pages = readdirSync(site, { recursive: true }).filter((name) => /\.html$/.test(name) && !/^(code|404)/.test(name) && (!only.length || only.includes(name))).sort().filter((_, i) => i % (Number(process.env.EVERY) || 1) === 0);

/* What is wrong with a page, at the width that it has: run there. */
function faults() {
  const found = [], wide = document.documentElement.scrollWidth, name = (e) => e.tagName.toLowerCase() + (e.className?.length ? "." + [...e.classList].join(".") : "") + " " + JSON.stringify((e.textContent || e.value || "").trim().slice(0, 30));
  if (wide > innerWidth) {
    const culprits = [...document.querySelectorAll(".md-content *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map(name);
    found.push(`${wide} pixels in ${innerWidth}: ${culprits.join("; ")}`);
  }
  for (const image of document.querySelectorAll("img")) if (!image.alt || !image.complete || !image.naturalWidth) found.push("a picture without words, or none: " + image.src.split("/").at(-1));
  for (const svg of document.querySelectorAll("svg.drawing, .plot svg")) {
    if (!svg.getAttribute("aria-label") && !svg.querySelector("title")) found.push("a drawing or figure without words");
    const frame = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (!box.width) continue;
      if (getComputedStyle(text).fill === "none") found.push("not seen: " + text.textContent.trim());
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2) found.push("cut: " + text.textContent.trim());
    }
  }
  for (const e of document.querySelectorAll(".md-content :is(button, input, select, textarea, summary, .md-button)")) {
    const box = e.getBoundingClientRect(), label = e.closest("label")?.getBoundingClientRect();
    if (!box.width || getComputedStyle(e).visibility === "hidden" || (label && label.height >= 24 && label.width >= 24)) continue;
    if (box.width < 23.9 || box.height < 23.9) found.push(`${box.width.toFixed(0)} x ${box.height.toFixed(0)} to press: ${name(e)}`);
  }
  return [...new Set(found)];
}

const chrome = await openChrome(browser), page = await chrome.page();
let wrong = 0;
const tell = (name, what) => { wrong++; console.error(`${name}: ${what}`); };
for (const name of pages) {
  await page.size(1440);
  await page.scheme(pages.indexOf(name) % 2 === 1);
  await page.go(pathToFileURL(resolve(site, name)).href);
  if (/^(playground|explorer)/.test(name)) await page.until(`document.querySelector("#strata-playground button, #strata-explorer[data-ready]") != null`);
  const told = new Set();
  for (const width of [1440, 1220, 390]) {
    await page.size(width);
    for (const what of await page.ask(`(${faults})()`)) if (!told.has(what)) told.add(what), tell(`${name} at ${width}`, what);
  }
  for (const what of page.troubles.splice(0)) tell(name, what);
}
await chrome.close();
if (wrong) process.exit(1);
console.log(`${pages.length} pages: nothing is cut, missing or too small to press`);
