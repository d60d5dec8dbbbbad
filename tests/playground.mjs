// playground.mjs - the playground writes what the program writes: every chain, token by token, in WebAssembly and natively.
//
//     node tests/playground.mjs STRATA FOLDER      the program, and where strata.wasm lies
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import vm from "node:vm";

const [program, folder] = process.argv.slice(2), MODEL = "layer5_models/models/storyteller.gguf", TOKENS = 48;
vm.runInThisContext(readFileSync("docs/playground/strata.js", "utf8"));
const strata = await globalThis.openStrata(readFileSync(folder + "/strata.wasm"), readFileSync(MODEL));
let failures = 0;

function expect(what, got, wanted) {
  if (got === wanted) return;
  failures++;
  console.error(`${what}\n  got     ${JSON.stringify(got)}\n  wanted  ${JSON.stringify(wanted)}`);
}

function write(prompt, chain, seed) {
  strata.begin(prompt);
  strata.chain(chain, seed);
  for (let i = 0; i < TOKENS; i++) {
    strata.choose();
    if (strata.ends(strata.chosen())) break;
    strata.take(strata.chosen());
  }
  return strata.text();
}

function natively(prompt, chain, seed) {
  const options = ["generate", "-m", MODEL, "-p", prompt, "--chain", chain, "--seed", String(seed), "-n", String(TOKENS), "--isa", "scalar", "--quiet"];
  return execFileSync(program, options, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

const chains = ["greedy", "top_p:0.9,temp:0.8", "top_k:40,min_p:0.05,temp:1.2", "penalties:rep=1.2,typical:0.8", "mirostat_v2:5", "dry:0.8,xtc:0.5:t=0.1,temp:1.1"];
chains.forEach((chain, i) => {
  const prompt = "Once upon a time", native = natively(prompt, chain, i + 1);
  for (const isa of ["scalar", "wasm"]) {
    strata.isa(isa);
    expect(chain + ", " + isa, prompt + write(prompt, chain, i + 1), native.replace(/\n$/, ""));
  }
});

// What SIMD128 is for.
const seconds = (isa) => {
  strata.isa(isa);
  strata.begin("Once upon a time");
  const times = Array.from({ length: 16 }, (_, i) => {
    const start = performance.now();
    strata.take(300 + i);
    return performance.now() - start;
  });
  return Math.min(...times) / 1000;
};
const scalar = seconds("scalar"), simd = seconds("wasm");
console.log(`a token: ${(1000 * scalar).toFixed(2)} ms scalar, ${(1000 * simd).toFixed(2)} ms with SIMD128, ${(scalar / simd).toFixed(1)} times the speed`);

// What chooses with a trace and without is the same.
strata.begin("The fox");
strata.chain("temp:1.5", 3);
strata.choose();
const quietly = strata.chosen();
strata.look();
expect("chosen with a trace", strata.chosen(), quietly);

// The trace: what a stage leaves adds up to one, and what it removes has nothing.
strata.begin("The fox");
strata.chain("top_k:3,temp:0.5", 1);
const rows = strata.look(), left = rows.filter((row) => row.stage === "temp" && row.kept === "1");
expect("three are left", left.length, 3);
expect("they add up to one", Math.abs(left.reduce((sum, row) => sum + Number(row.prob), 0) - 1) < 1e-6, true);

// The grammar box: a stage whose text is typed, whatever it holds; the mask and the text are those of the program.
const typed = (stage, text) => stage + ":" + encodeURIComponent(text);
const rules = 'root ::= animal (" and a" animal)* "."\nanimal ::= " " ("kind" | "brave") animal | " fox" | " owl" # 100 %, "a:b"';
for (const chain of [typed("grammar", rules), typed("regex", " (kind|vain) (fox|owl) called (Ada|Hugo)\\."), typed("choice", " brave fox| shy owl")]) {
  const prompt = "Once upon a time there was a", text = write(prompt, chain + ",draw", 3);
  expect(chain, prompt + text, natively(prompt, chain + ",draw", 3).replace(/\n$/, ""));
}
strata.begin("Once upon a time there was a");
strata.chain(typed("choice", " brave fox| shy owl") + ",greedy", 1);
const allowed = strata.look().filter((row) => row.stage === "choice" && row.kept === "1").map((row) => row.text);
expect("what the mask leaves", allowed.every((token) => " brave fox".startsWith(token) || " shy owl".startsWith(token)) && allowed.some((token) => token.length > 1), true);
strata.take(strata.chosen());
const first = strata.text();
strata.chain(typed("choice", " brave fox| shy owl") + ",temp:0.5,greedy", 1); // the place in the text is kept
strata.look();
strata.take(strata.chosen());
expect("another chain in the middle of a text", " brave fox".startsWith(strata.text()) || " shy owl".startsWith(strata.text()), true);
expect("and back", (strata.back(), strata.text()), first);
try {
  strata.chain(typed("grammar", "root ::= ("), 1);
  expect("an invalid grammar", "accepted", "refused");
} catch (refusal) {
  expect("an invalid grammar", /line 1, column/.test(refusal.message), true);
}

// What the page says of the order of stages.
const counts = (chain, stage) => {
  strata.begin("Once upon a time there was a");
  strata.chain(chain, 1);
  return strata.look().filter((row) => row.stage === stage && row.kept === "1").length;
};
const leftBy = (chain) => counts(chain, chain.split(",").at(-1).split(":")[0]);
expect("the cut first: eleven", leftBy("top_p:0.9,temp:2"), 11);
expect("the temperature first: nearly four hundred", leftBy("temp:2,top_p:0.9") > 350 && leftBy("temp:2,top_p:0.9") < 400, true);
expect("min_p: twelve in either order", [leftBy("min_p:0.05,temp:2"), leftBy("temp:2,min_p:0.05")].join(), "12,12");

// Every chain that a page sends to the playground.
const pages = readdirSync("docs", { recursive: true }).filter((name) => name.endsWith(".md"));
const sent = pages.flatMap((name) => [...readFileSync("docs/" + name, "utf8").matchAll(/^\{\{ play (.+?) \| (.+) \}\}$/gm)]);
expect("pages that lead to the playground", sent.length > 5, true);
for (const [, chain, prompt] of sent) {
  strata.begin(prompt);
  strata.chain(chain, 1);
  expect(chain, strata.look().length > 0, true);
}

// Going back and on again gives the same text.
const before = write("The fox", "temp:1", 5);
for (let i = 0; i < 5; i++) strata.back();
for (let i = 0; i < 5; i++) strata.look(), strata.take(strata.chosen());
expect("five tokens back and on again", strata.text(), before);

// Sliders are made from the table of stages; what cannot be read is refused in the library's words.
const top_p = strata.samplers().find((row) => row.stage === "top_p" && row.key);
expect("a parameter of top_p", [top_p.low, top_p.high].join(" to "), "0 to 1");
for (const kind of strata.samplers().filter((row) => !row.key && row.list === "0")) {
  strata.chain(kind.example, 1); // what sliders write, every value by its name, is the same chain
  const printed = strata.spec();
  strata.chain(strata.stages().map(({ name, values }) => [name, ...Object.entries(values).map((pair) => pair.join("="))].join(":")).join(","), 1);
  expect(kind.stage, strata.spec(), printed);
}
try {
  strata.chain("top_q:0.9", 1);
  expect("an unknown stage", "accepted", "refused");
} catch (refusal) {
  expect("an unknown stage", /top_q/.test(refusal.message), true);
}
if (failures) process.exit(1);
console.log(`${chains.length} chains, ${TOKENS} tokens each: the same text in WebAssembly and natively`);
