// page.mjs - the server's page in a real browser, headless, on loopback alone: answers are those of the program, tokens open, the KV cache and the scheduler are seen.
//
//     node tests/server/page.mjs STRATA [BROWSER [FOLDER for screenshots]]
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openChrome } from "../chrome.mjs";

const [program, browser = "chromium", folder] = process.argv.slice(2), MODEL = "layer5_models/models/storyteller.gguf";
const MESSAGE = "Tell me a story about a brave owl named Mia.", LONG = "chain: 'min_tokens:900,temp:1', max_tokens: 900";
const work = mkdtempSync(join(tmpdir(), "strata-page-"));
let failures = 0;
function check(name, got, wanted = true) {
  if (got === wanted) return console.log("ok page: " + name);
  failures++;
  console.log(`not ok page: ${name}: ${JSON.stringify(got)} is not ${JSON.stringify(wanted)}`);
}
const end = async (process) => check("a server ends as it should", await new Promise((done) => (process.once("exit", done), process.kill())), 0);

/* A server on a port of its own, or again on that of one before it. */
async function serve(port = 0, ...more) {
  const process = spawn(program, ["serve", "-m", MODEL, "--port", String(port), "--quiet", "-t", "2", ...more], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((done) => process.stdout.once("data", (line) => done(/http:\S+/.exec(line.toString())[0])));
  return { process, address, port: +/\d+$/.exec(address)[0] };
}
const answered = "!running && document.querySelector('.said')", textOf = "[...document.querySelectorAll('.assistant:last-of-type .token')].map(s => s.textContent).join('')";
const say = (text) => `document.getElementById('text').value = ${JSON.stringify(text)}; document.getElementById('form').requestSubmit()`;
const picture = (page, name) => folder && page.picture(join(folder, name + ".png"));

async function conversation(page) {
  await page.until("document.getElementById('model').textContent.startsWith('storyteller.gguf')");
  check("an empty page says what this is", await page.ask("/language model/.test(document.getElementById('empty').textContent)"));
  await picture(page, "empty");
  check("the chain is strata's own", await page.ask("chain()"), "min_p:0.05,temp:0.8");
  await page.ask(say(MESSAGE));
  await page.until(answered);
  const text = await page.ask(textOf);
  check("an answer as the program answers", text, execFileSync(program, ["generate", "-m", MODEL, "--chat", "-p", MESSAGE, "-n", "200", "--quiet"]).toString().slice(0, -1));
  check("tokens are coloured by surprisal", await page.ask("[...document.querySelectorAll('.token')].every(s => s.title.includes('nats') && s.style.background)"));
  return text;
}

/* A token opens, at any place; the chain would draw it again; another can be taken. */
async function tokens(page, text) {
  const count = await page.ask("talk.turns[1].tokens.length");
  for (const index of [0, 7, count - 1]) {
    await page.ask(`document.querySelectorAll('.token')[${index}].click()`);
    await page.until("opened && opened.steps");
    check(`token ${index} is the one that the chain draws`, await page.ask(`opened.steps.chosen.id === talk.turns[1].tokens[${index}].id`));
  }
  await page.ask("document.querySelectorAll('.token')[0].click()");
  await page.until("opened.index === 0 && opened.steps");
  check("a stage for each of the chain, and the model", await page.ask("[...document.querySelectorAll('.stage span:first-child')].map(e => e.textContent).join()"), "the model,min_p:0.05,temp:0.8,draw");
  await page.ask("document.querySelectorAll('.stage')[0].click()");
  const sum = await page.ask("opened.steps.stages.map(s => s.tokens.reduce((n, t) => n + t.prob, s.rest.prob)).every(p => Math.abs(p - 1) < 1e-6)");
  check("the probabilities of each stage are 1, the rest counted", sum);
  const widths = await page.ask("[...document.querySelectorAll('#token table tr:not(.cut) .full')].map((f, i) => f.firstChild.getBoundingClientRect().width / f.clientWidth)");
  check("a bar is as wide as its probability", widths.every((w, i) => i === 20 || Math.abs(w - page.probs[i]) < 0.02), true);
  await picture(page, "token");
  await page.ask("document.querySelectorAll('.stage')[1].click()");
  check("what a stage cut is struck out", await page.ask("document.querySelectorAll('#token tr.cut').length === opened.steps.stages[0].tokens.length - opened.steps.stages[1].tokens.filter(t => opened.steps.stages[0].tokens.some(s => s.id === t.id)).length"));
  await page.key("Escape", 27);
  check("Escape closes it, and the focus is where it was", await page.ask("document.getElementById('token').hidden && document.activeElement.className"), "token");
  await page.key("ArrowRight", 39), await page.key("ArrowRight", 39), await page.key("Enter", 13, "\r");
  await page.until("opened && opened.steps");
  check("arrows and Enter open the third", await page.ask("opened.index"), 2);

  const [first, second] = await page.ask("(async () => { const t = talk.turns[1]; await branch(t, 5, {id: t.tokens[5].id, token: t.tokens[5].text}, t.seed); return [t.tokens.map(x => x.text).join(''), t.tokens[5].surprisal === undefined] })()");
  check("the same token again: the same answer, to its end", first, text);
  check("and it is marked as chosen", second);
  await page.ask("document.querySelectorAll('.token')[0].click()");
  await page.until("opened && opened.steps");
  const other = await page.ask("(() => { const b = [...document.querySelectorAll('#token td button')].find(b => b.textContent === 'take'); const name = b.closest('tr').cells[0].textContent; b.click(); return name })()");
  await page.until(answered);
  check("another token is taken, and the answer goes on from it", await page.ask("spelled(talk.turns[1].tokens[0].text)"), other);
  check("its text is the token and what follows", (await page.ask("talk.turns[1].text === talk.turns[1].tokens.map(t => t.text).join('') && talk.turns[1].tokens.length > 20")), true);
  await page.ask("document.querySelectorAll('.token')[6].click()");
  await page.until("opened && opened.steps");
  const was = await page.ask("talk.turns[1].text");
  await page.ask("[...document.querySelectorAll('#token button')].find(b => b.textContent === 'Sample again from here').click()");
  await page.until(answered);
  check("sampled again from the middle, another text with the same beginning", await page.ask(`talk.turns[1].text !== ${JSON.stringify(was)} && talk.turns[1].text.startsWith(talk.turns[1].tokens.slice(0, 6).map(t => t.text).join(''))`));
  for (const index of [3, 9]) {
    await page.ask(`document.querySelectorAll('.token')[${index}].click()`);
    await page.until(`opened && opened.index === ${index} && opened.steps`);
    check(`each of its tokens is opened with its own seed: ${index}`, await page.ask(`opened.steps.chosen.id === talk.turns[1].tokens[${index}].id && talk.turns[1].tokens[${index}].seed`), index < 6 ? 1 : 2);
  }
  check("a model's error is in plain words", await page.ask("inWords(429, 'x')"), "The server is busy: its queue is full. Try again in a moment.");
}

/* New while an answer runs: the old one ends on the server, and none of it comes into the new conversation. */
async function anew(page) {
  await page.ask(`document.getElementById('most').value = 900; window.own = chain; chain = () => 'min_tokens:900,temp:1'; document.getElementById('new').click();
    window.when = (what) => new Promise(done => { const every = setInterval(() => what() && (clearInterval(every), done()), 1) }); 0`);
  const once = `(async () => {
    const got = {}, begun = () => talk.turns.length === 2 && talk.turns[1].tokens.length > 2;
    document.getElementById('new').click();
    ${say("One.")};
    await when(begun);
    const old = talk.turns[1];
    document.getElementById('new').click();
    const had = old.tokens.length;
    got.empty = talk.turns.length === 0 && !document.querySelector('.turn') && document.getElementById('send').textContent === 'Send';
    ${say("Two.")};
    await when(begun);
    got.alone = old.tokens.length === had && document.querySelectorAll('.assistant').length === 1 && document.querySelectorAll('.token').length === talk.turns[1].tokens.length;
    got.running = running !== null && document.getElementById('send').textContent === 'Stop';
    document.getElementById('send').click();
    got.stopped = !running, got.early = had < 900 && talk.turns[1].tokens.length < 900;
    return got;
  })()`;
  let got = {};
  for (let i = 0; i < 20 && !got.early; i++) got = await page.ask(once); // a quick model may be done before the click
  check("both were stopped on their way", got.early);
  check("New empties the conversation at once", got.empty);
  check("no token of the old answer comes after it", got.alone);
  check("the new answer can still be stopped", got.running && got.stopped);
  await page.until("/stopped/.test(document.querySelector('.said')?.textContent)");
  await page.until("fetch('load').then(r => r.json()).then(l => l.running + l.waiting === 0)");
  await page.ask("chain = own; document.getElementById('most').value = 200");
}

/* The scheduler: answers with one prompt share its pages; each page says whose it is; each step who did what. */
async function scheduler(page) {
  const prompt = JSON.stringify(("Once upon a time there was a brave owl. ").repeat(16));
  await page.ask(`window.busy = new AbortController(); (async () => { for (;;) await fetch('v1/completions', {method: 'POST', signal: busy.signal, headers: headers(), body: JSON.stringify({prompt: ${prompt}, n: 6, seed: 5, ${LONG}})}); })().catch(() => {}); 0`);
  await page.until("document.querySelectorAll('#answers tr').length > 6");
  await page.until("map && map.sequences.length === 6 && pagesOf(map)[0].owners.length === 6 && (document.querySelector('#pages .shared').click(), window.saw = map, true)");
  const says = await page.ask("pageInWords(pagesOf(saw)[0], saw)");
  check("a click on a page says it", await page.ask("/^Page \\d+ (of layer|is free)/.test(document.getElementById('page').textContent)"));
  check("a shared page says whose it is, where and why", /Page \d+ of layer 0: the keys and values of positions 0 to 63/.test(says) && /It is shared: answer \d+, .* and answer \d+ begin with the same tokens/.test(says) || says);
  check("its references are those who name it", /Reference count 7: 6 page tables and the prefix cache/.test(says) || says);
  check("so it is with every page", await page.ask("pagesOf(saw).every(p => p.references === p.owners.length + (p.prefix ? 1 : 0))"));
  await page.ask("document.querySelector('aside').scrollTop = 1e6"), await picture(page, "busy");
  await page.ask("busy.abort()");
  await page.until("fetch('load').then(r => r.json()).then(l => l.running + l.waiting === 0) && map.sequences.length === 0");
  await page.ask("document.querySelector('#pages button').focus()");
  await page.key("End", 35);
  check("pages by keyboard", await page.ask("document.activeElement === [...document.querySelectorAll('#pages button')].at(-1)"));
  await page.ask("document.querySelector('#pages button').click()");
  check("a page that only the prefix cache holds", await page.ask("/Only the prefix cache holds it/.test(document.getElementById('page').textContent)"));
  await page.until("next > 0 && steps.at(-1).step === next - 1");
  const at = await page.ask("steps.findLastIndex(s => s.jobs.some(j => j[1] === 'prompt' && j[5] === 'in'))");
  await page.ask(`document.getElementById('scrub').value = ${at}; document.getElementById('scrub').dispatchEvent(new Event('input'))`);
  check("a step says who was admitted and what was read", await page.ask("/reads its prompt: \\d+ tokens?; admitted/.test(document.getElementById('step').textContent)"));
  check("and the replay stands still there", await page.ask("!live && document.getElementById('live').getAttribute('aria-pressed')"), "false");
  const number = await page.ask("document.getElementById('step').dataset.step");
  await page.ask("document.getElementById('on').click()");
  check("a step on", await page.ask("document.getElementById('step').dataset.step"), String(+number + 1));
  await page.ask("document.getElementById('live').click()");
  check("and live again", await page.ask("live"));
}

async function pictures(page) {
  await page.ask("document.getElementById('new').click()");
  check("a button for pictures", await page.ask("!document.getElementById('picture').hidden"));
  await page.ask(`new Promise(done => {
    const canvas = document.createElement('canvas');
    canvas.width = 3000, canvas.height = 2000, canvas.getContext('2d').fillRect(400, 300, 900, 800);
    canvas.toBlob(blob => {
      const files = new DataTransfer();
      files.items.add(new File([blob], 'x.png')), files.items.add(new File(['none'], 'x.txt'));
      document.getElementById('file').files = files.files;
      document.getElementById('file').dispatchEvent(new Event('change')), done();
    });
  })`);
  await page.until("document.querySelectorAll('#shown img').length === 1 && document.querySelector('#shown img').naturalWidth === 1024");
  await page.until("document.querySelector('.fault')?.textContent.startsWith('x.txt')");
  await page.ask(say("Tell me of it."));
  check("a picture beside its message", await page.ask("document.querySelectorAll('.user img').length === 1 && !document.querySelector('#shown img') && document.querySelector('.user').textContent === 'Tell me of it.'"));
  await page.until("!running && /prompt \\d+/.test(document.querySelector('.said')?.textContent)");
  check("it is small", await page.ask("document.querySelector('.user img').getBoundingClientRect().width <= 112"));
  check("its rows are tokens of the prompt", await page.ask("+/prompt (\\d+)/.exec(document.querySelector('.said').textContent)[1] > 16"));
  await page.ask("document.querySelectorAll('.token')[1].click()");
  await page.until("opened && opened.steps");
  check("a token behind a picture opens, too", await page.ask("opened.steps.chosen.id === talk.turns[1].tokens[1].id"));
}

execFileSync(join(dirname(program), "..", "tests", "families"), ["clip", "width:256", join(work, "eye.gguf")]);
let server;
process.once("exit", () => server?.process.kill());
server = await serve(0, "--mmproj", join(work, "eye.gguf"));
const chrome = await openChrome(browser), page = await chrome.page({ width: 1280 });
await page.go(server.address + "/");
const text = await conversation(page);
page.probs = await page.ask(`ask('strata/steps', {messages: before(talk.turns[1]), chain: chain(), seed: 1}).then(r => r.json()).then(s => s.stages[0].tokens.map(t => t.prob))`);
await tokens(page, text), await scheduler(page), await anew(page);

const tab = await chrome.page({ width: 390, dark: true });
await tab.go(server.address + "/");
await tab.until("document.getElementById('model').textContent");
await tab.ask(say(MESSAGE)), await page.ask(say("And you?"));
await tab.until(answered), await page.until(answered);
check("a second tab is a conversation of its own", await tab.ask(textOf), text);
check("and both are in the scheduler of each", await tab.ask("new Set(steps.flatMap(s => s.jobs.map(j => j[0]))).size > 1"));
await tab.ask("document.querySelectorAll('.token')[3].click()");
await tab.until("opened && opened.steps");
await picture(tab, "phone");
check("a phone's page is no wider than the phone", await tab.ask("document.documentElement.scrollWidth"), 390);
check("the token's panel is on the screen", await tab.ask("(b => b.bottom <= innerHeight + 1 && b.top >= 0 && b.width === innerWidth)(document.getElementById('token').getBoundingClientRect())"));
check("no error in its console", tab.troubles.join(), "");
await tab.close();
await pictures(page);

check("no error in the console", page.troubles.join(), "");
await page.ask("document.getElementById('new').click()");
const { port } = server;
await end(server.process);
await page.until("/does not answer/.test(document.getElementById('state').textContent)");
check("a server that is gone is named in words", true);
await page.ask(say("Are you there?"));
await page.until("/connection to the server was lost/.test([...document.querySelectorAll('.fault')].at(-1)?.textContent)");
check("an unanswered message is in the box again", await page.ask("document.getElementById('text').value"), "Are you there?");
server = await serve(port);
await page.until("document.getElementById('state').hidden && connected");
await page.ask("document.getElementById('form').requestSubmit()");
await page.until("!running && talk.turns.at(-1).tokens.length > 3");
check("and answered when the server is back", await page.ask("talk.turns.at(-2).message.content"), "Are you there?");
await page.ask("document.getElementById('s-temp').value = 0; document.getElementById('s-temp').dispatchEvent(new Event('input'))");
check("a slider is a stage", await page.ask("document.getElementById('chain').textContent"), "min_p:0.05,temp:0");
check("one model: nothing to choose from", await page.ask("document.getElementById('models').hidden"));
await end(server.process);

server = await serve(0, "--model", "small=layer5_models/models/draft.gguf");
await page.go(server.address + "/");
await page.until("!document.getElementById('models').hidden");
check("several models are there to choose from", await page.ask("[...document.getElementById('which').options].map(o => o.value).join()"), "storyteller.gguf,small");
await page.ask("document.getElementById('which').value = 'small'; " + say(MESSAGE));
await page.until(answered);
check("an answer is by the chosen one", await page.ask(textOf), execFileSync(program, ["generate", "-m", "layer5_models/models/draft.gguf", "--chat", "-p", MESSAGE, "-n", "200", "--quiet"]).toString().slice(0, -1));
await chrome.close(), await end(server.process);
rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
process.exit(failures ? 1 : 0);
