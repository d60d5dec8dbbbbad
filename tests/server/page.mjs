// page.mjs - the server's page in a real browser, headless: a message is answered as the program answers it, and the scheduler is seen.
//
//     node tests/server/page.mjs STRATA [BROWSER [PICTURE.png]]
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const [program, browser = "chromium", picture] = process.argv.slice(2), MODEL = "layer5_models/models/storyteller.gguf";
const work = mkdtempSync(join(tmpdir(), "strata-page-"));
execFileSync(join(dirname(program), "..", "tests", "families"), ["clip", "width:256", join(work, "eye.gguf")]);
const server = spawn(program, ["serve", "-m", MODEL, "--mmproj", join(work, "eye.gguf"), "--port", "0", "--quiet"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((done) => server.stdout.once("data", (line) => done(/http:\S+/.exec(line.toString())[0])));
const chrome = spawn(browser, ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--user-data-dir=" + work, "--remote-debugging-pipe", "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const waiting = new Map();
let number = 0, left = "", failures = 0;
chrome.stdio[4].on("data", (bytes) => {
  const messages = (left + bytes).split("\0");
  left = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) waiting.get(message.id)?.(message), waiting.delete(message.id);
});
const send = (method, params = {}, sessionId) => new Promise((done, fail) => {
  waiting.set(++number, (message) => (message.error ? fail(new Error(method + ": " + message.error.message)) : done(message.result)));
  chrome.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId }) + "\0");
});
function check(name, got, wanted = true) {
  if (got === wanted) return console.log("ok page: " + name);
  failures++;
  console.log(`not ok page: ${name}: ${JSON.stringify(got)} is not ${JSON.stringify(wanted)}`);
}

const { targetId } = await send("Target.createTarget", { url: "about:blank" }), { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
await send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false }, sessionId);
await send("Page.navigate", { url: address + "/" }, sessionId);
const ask = async (expression) => {
  const answer = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }, sessionId);
  if (answer.exceptionDetails) throw new Error(expression + ": " + JSON.stringify(answer.exceptionDetails));
  return answer.result.value;
};
const until = async (expression) => {
  for (let i = 0; i < 300; i++) {
    if (await ask(expression)) return true;
    await new Promise((done) => setTimeout(done, 100));
  }
  return false;
};

const message = "Tell me a story about a brave owl named Mia.";
check("the model is named", await until("document.getElementById('model')?.textContent.startsWith('storyteller.gguf')"));
check("the chain is strata's own", await ask("chain()"), "min_p:0.05,temp:0.8");
await ask(`document.getElementById('text').value = ${JSON.stringify(message)}; document.getElementById('form').requestSubmit()`);
check("it is answered", await until("!running && document.querySelector('.said')"));
const text = await ask("[...document.querySelectorAll('.assistant span')].map(s => s.textContent).join('')");
check("as the program answers it", text, execFileSync(program, ["generate", "-m", MODEL, "--chat", "-p", message, "-n", "200", "--quiet"]).toString().slice(0, -1));
check("tokens are coloured by surprisal", await ask("[...document.querySelectorAll('.assistant span')].every(s => s.title.includes('nats'))"));
check("the scheduler is told", await until("/running/.test(document.getElementById('counts').textContent)"));
await ask("fetch('v1/completions', {method: 'POST', headers: headers(), body: JSON.stringify({prompt: 'Once', n: 12, max_tokens: 900, chain: 'min_tokens:900,temp:1'})}); 0");
check("answers are listed while they run", await until("document.querySelectorAll('#answers tr').length > 4"));
check("and have pages", await until("new Set([...document.querySelectorAll('#pages i')].map(i => i.title)).size > 4"));
await ask("document.getElementById('new').click()");
check("a button for pictures", await ask("!document.getElementById('picture').hidden"));
await ask(`new Promise(done => {
  const canvas = document.createElement('canvas');
  canvas.width = 3000, canvas.height = 2000, canvas.getContext('2d').fillRect(400, 300, 900, 800);
  canvas.toBlob(blob => {
    const files = new DataTransfer();
    files.items.add(new File([blob], 'x.png')), files.items.add(new File(['none'], 'x.txt'));
    document.getElementById('file').files = files.files;
    document.getElementById('file').dispatchEvent(new Event('change')), done();
  });
})`);
check("a picture is shown before it is sent", await until("document.querySelectorAll('#shown img').length === 1 && document.querySelector('#shown img').naturalWidth === 1024"));
check("what is none is named", await until("document.querySelector('.fault')?.textContent.startsWith('x.txt')"));
await ask("document.getElementById('text').value = 'Tell me of it.'; document.getElementById('form').requestSubmit()");
check("and beside its message", await ask("document.querySelectorAll('.user img').length === 1 && !document.querySelector('#shown img') && document.querySelector('.user').textContent === 'Tell me of it.'"));
check("it is answered", await until("!running && /prompt \\d+/.test(document.querySelector('.said')?.textContent)"));
check("it is small", await ask("document.querySelector('.user img').getBoundingClientRect().width <= 112"));
check("its rows are tokens of the prompt", await ask("+/prompt (\\d+)/.exec(document.querySelector('.said').textContent)[1] > 16"));
await send("Emulation.setDeviceMetricsOverride", { width: 390, height: 800, deviceScaleFactor: 2, mobile: true }, sessionId);
check("a phone's page is no wider than the phone", await ask("document.documentElement.scrollWidth"), 390);
if (picture) writeFileSync(picture, Buffer.from((await send("Page.captureScreenshot", {}, sessionId)).data, "base64"));
await ask("document.getElementById('s-temp').value = 0; document.getElementById('s-temp').dispatchEvent(new Event('input'))");
check("a slider is a stage", await ask("document.getElementById('chain').textContent"), "min_p:0.05,temp:0");
await Promise.all([chrome, server].map((process) => new Promise((done) => (process.once("exit", done), process.kill()))));
rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
process.exit(failures ? 1 : 0);
