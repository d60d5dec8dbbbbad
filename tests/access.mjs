// access.mjs - pages that anybody can use: names of controls, headings in order, contrast, a focus that is seen, 390 pixels, less motion.
//
//     node tests/access.mjs SITE [BROWSER]
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openChrome } from "./chrome.mjs";

const [site, browser = "chromium"] = process.argv.slice(2), READY = "!/^(Loading|The storyteller is being)/m.test(document.querySelector('.look')?.innerText ?? '')";
const PAGES = ["index.html", "playground.html", "explorer.html", "layer6/frontier.html", "appendix/figures.html", "appendix/commands.html"];
let failures = 0, checks = 0;
const expect = (right, what) => { checks++; if (!right) failures++, console.error(what); };

/* In the page: what is wrong with its words and controls. */
function faults() {
  const wrong = [], article = document.querySelector("article") ?? document.body, seen = (e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && e.getClientRects().length > 0;
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => { context.clearRect(0, 0, 1, 1); context.fillStyle = color; context.fillRect(0, 0, 1, 1); const d = context.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const over = (a, b) => a.slice(0, 3).map((x, i) => x * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = (c) => { const [r, g, b] = c.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { const behind = []; for (; e; e = e.parentElement) behind.push(rgba(getComputedStyle(e).backgroundColor)); return behind.reduceRight((under, c) => over(c, under), [255, 255, 255, 1]); };
  const opacity = (e) => { let all = 1; for (; e; e = e.parentElement) all *= +getComputedStyle(e).opacity; return all; };
  const name = (e) => (e.getAttribute("aria-label") || e.labels?.[0]?.innerText || e.getAttribute("title") || e.textContent.trim() || getComputedStyle(e, "::before").content.replace(/^none$/, "") || e.querySelector("img, svg")?.getAttribute("aria-label") || "").trim();

  for (const e of document.querySelectorAll("article a[href], article button, article input, article select, article textarea, article summary"))
    if (seen(e) && !name(e) && e.getAttribute("aria-hidden") !== "true" && !e.matches("a.mark, a.note")) wrong.push("no name: " + e.outerHTML.slice(0, 90));
  for (const e of article.querySelectorAll("svg[role=img], img")) if (!(e.getAttribute("aria-label") || e.getAttribute("alt"))) wrong.push("no words for a picture: " + e.outerHTML.slice(0, 90));
  if (!document.documentElement.lang) wrong.push("no language");
  for (const e of article.querySelectorAll("summary")) {
    const arrow = getComputedStyle(e, "::after");
    if (seen(e) && arrow.display !== "none" && parseFloat(getComputedStyle(e).paddingRight) < parseFloat(arrow.right) + parseFloat(arrow.width)) wrong.push("words beneath the arrow: " + e.innerText.slice(0, 40));
  }
  for (const e of article.querySelectorAll(".go.wraps")) {
    const code = e.closest("code"), style = getComputedStyle(e), row = e.getBoundingClientRect();
    if (seen(e) && row.right > code.getBoundingClientRect().right) wrong.push("a sentence that slides: " + e.innerText.slice(0, 40));
    if (parseFloat(style.textIndent) + parseFloat(style.paddingLeft) !== 0) wrong.push("a sentence that begins beside its column: " + e.innerText.slice(0, 40));
  }
  const levels = [...article.querySelectorAll("h1, h2, h3, h4")].filter(seen).map((h) => +h.tagName[1]);
  if (levels[0] !== 1 || levels.filter((l) => l === 1).length !== 1) wrong.push("headings: wanted one h1 first, got " + levels.join(" "));
  levels.forEach((l, i) => { if (i && l > levels[i - 1] + 1) wrong.push(`headings: h${l} after h${levels[i - 1]}`); });

  const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT), told = new Set();
  for (let node; (node = walk.nextNode()); ) {
    const e = node.parentElement, style = getComputedStyle(e);
    if (!node.data.trim() || !seen(e) || e.closest(":disabled, .md-clipboard, [aria-hidden=true], svg.katex-svg") || parseFloat(style.fontSize) < 1) continue;
    const under = ground(e), ink = rgba(e.closest("svg") ? (style.fill === "none" ? style.color : style.fill) : style.color);
    ink[3] *= opacity(e);
    const a = light(over(ink, under)), b = light(under), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.6 && +style.fontWeight >= 700);
    const where = e.tagName + "." + (e.getAttribute("class") ?? "");
    if (ratio < (large ? 3 : 4.5) && !told.has(where)) told.add(where), wrong.push(`contrast ${ratio.toFixed(2)}: ${where} "${node.data.trim().slice(0, 30)}"`);
  }
  return wrong;
}

const chrome = await openChrome(browser);
for (const name of PAGES) {
  const address = pathToFileURL(resolve(site, name)).href;
  for (const [width, dark] of [[1200, false], [1200, true], [390, false]]) {
    const page = await chrome.page({ width, dark }), where = `${name}, ${width} px${dark ? ", dark" : ""}: `;
    await page.still();
    if (dark) await page.scheme(true);
    await page.go(address);
    if (dark) await page.ask("document.body.setAttribute('data-md-color-scheme', 'slate')");
    await page.until(READY);
    await page.ask("new Promise((next) => setTimeout(next, 600))");
    for (const fault of await page.ask(`(${faults})()`)) expect(false, where + fault);
    expect(true);
    expect(await page.ask("document.documentElement.scrollWidth <= innerWidth"), where + "it scrolls sideways");
    for (const trouble of page.troubles) expect(false, where + trouble);
    await page.close();
  }
  const page = await chrome.page();
  await page.still();
  await page.go(address);
  await page.until(READY);
  if (name === "index.html") await page.until(`document.querySelector(".ho-story").getAttribute("aria-busy") === "false"`);
  const moves = await page.ask("document.getAnimations().filter((a) => a.playState === 'running' && a.effect.getComputedTiming().iterations === Infinity).length");
  expect(moves === 0, `${name}: something moves although less motion was asked for`);
  await page.ask(`(document.querySelector(".look :is(button, input, select, textarea, a)") ?? document.querySelector("article a[href]")).focus()`);
  for (let i = 0; i < 12; i++) {
    await page.key("Tab", 9);
    const unseen = await page.ask(`{ const e = document.activeElement, s = getComputedStyle(e); e.closest("article") && (s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 1) && s.boxShadow === "none" ? e.outerHTML.slice(0, 90) : "" }`);
    expect(unseen === "", `${name}: a focus that is not seen: ${unseen}`);
  }
  await page.close();
}
await chrome.close();
console.log(`${PAGES.length} pages, light, dark and 390 px wide: ${checks} checks, ${failures || "no"} faults`);
process.exit(failures ? 1 : 0);
