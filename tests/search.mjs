// search.mjs - the search of the site finds what it should, opened from disk and over http.
//
//     node tests/search.mjs SITE [BROWSER]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openChrome } from "./chrome.mjs";

const [site, browser = "chromium"] = process.argv.slice(2);
const WANTED = [["kv cache", /layer4\/kv\.html/], ["nucleus", /layer6\/(top-p|cuts)\.html|glossary/], ["softmax", /layer3\/softmax\.html/], ["lora", /layer5\/adapters\.html/], ["speculative decoding", /layer6\/speculative\.html/]];
const KINDS = { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json" };
let failures = 0;

const server = createServer(async (request, answer) => {
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
  try {
    const body = await readFile(join(site, path));
    answer.writeHead(200, { "Content-Type": KINDS[path.split(".").at(-1)] ?? "application/octet-stream" }).end(body);
  } catch {
    answer.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

const chrome = await openChrome(browser);
for (const top of [pathToFileURL(resolve(site)).href, `http://127.0.0.1:${server.address().port}`]) {
  for (const [words, right] of WANTED) {
    const page = await chrome.page();
    await page.go(top + "/layer1/shapes.html");
    const type = (text) => `input.value = ${JSON.stringify(text)}; input.dispatchEvent(new Event("keyup", { bubbles: true })); input.dispatchEvent(new Event("input", { bubbles: true }));`;
    await page.ask(`{ const input = document.querySelector("[data-md-component=search-query]"); input.focus(); ${type("")} ${type(words)} }`); // at once: before the index is there
    await page.until(`document.querySelector(".md-search-result__item a") != null`, 3);
    const first = await page.ask(`document.querySelector(".md-search-result__item a").href`);
    if (!right.test(first)) failures++, console.error(`${top.slice(0, 4)}: "${words}" finds ${first} first`);
    for (const trouble of page.troubles) failures++, console.error(`${top.slice(0, 4)}: ${trouble}`);
    await page.close();
  }
}
await chrome.close();
server.close();
console.log(`${2 * WANTED.length} searches, from disk and over http: ${failures || "no"} faults`);
process.exit(failures ? 1 : 0);
