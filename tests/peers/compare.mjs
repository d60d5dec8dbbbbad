// compare.mjs STRATA MODEL DOCUMENTS - token ids and greedy continuations of strata and llama.cpp, side by side.
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {getLlama, LlamaLogLevel} from "node-llama-cpp";

const [strata, file, documentsFile] = process.argv.slice(2);
const run = (args, input) => execFileSync(strata, args, {input, stdio: ["pipe", "pipe", "ignore"]}).toString().trim();
const ids = (text) => (text ? text.split(/\s+/).map(Number) : []);

const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: file, gpuLayers: 0});
const documents = readFileSync(documentsFile, "utf8").split("\n<|endoftext|>\n").filter(Boolean);

let same = 0, tokens = 0;
for (const text of documents) {
    const theirs = Array.from(model.tokenize(text, true));
    const ours = ids(run(["tokenize", "-m", file, "--special", "--all"], text));
    tokens += theirs.length;
    if (JSON.stringify(ours) === JSON.stringify(theirs)) same++;
    else console.log("differs:", text.slice(0, 60));
}
console.log(`token ids: ${same} of ${documents.length} documents the same (${tokens} tokens)`);

// How far apart our logits put the two tokens at the first place where the continuations part.
const margin = (start, ours, theirs) => {
    let at = 0;
    while (at < ours.length && ours[at] === theirs[at]) at++;
    const rows = run(["logits", "-m", file, "--last", "--tokens", [...start, ...ours.slice(0, at)].join(",")]).split("\n");
    const logit = new Map(rows.map((row) => row.split("\t").slice(1).map(Number)));
    return Math.abs(logit.get(ours[at]) - logit.get(theirs[at]));
};

let equal = 0, ties = 0;
const prompts = documents.slice(0, 20).map((text) => text.split(" ").slice(0, 6).join(" "));
const context = await model.createContext({contextSize: 512, batchSize: 64, threads: 2});
const sequence = context.getSequence();
for (const prompt of prompts) {
    const start = ids(run(["tokenize", "-m", file, "--special", "--all", "--bos"], prompt));
    const theirs = [];
    await sequence.clearHistory();
    for await (const token of sequence.evaluate(start, {temperature: 0})) {
        theirs.push(token);
        if (theirs.length === 64 || model.isEogToken(token)) break;
    }
    const ours = ids(run(["generate", "-m", file, "-p", prompt, "--special", "-n", "64", "--chain", "greedy", "--ids", "--no-prompt"]));
    const n = Math.min(ours.length, theirs.length);
    const agree = n > 0 && n >= theirs.length - 1 && JSON.stringify(ours.slice(0, n)) === JSON.stringify(theirs.slice(0, n));
    // llama.cpp rounds what it multiplies with F16 weights to F16: logits move by some hundredths
    const tie = !agree && margin(start, ours, theirs);
    if (agree) equal++;
    else if (tie < 0.05) ties++, console.log(`near-tie: "${prompt}": two tokens whose logits are ${tie.toFixed(4)} apart`);
    else console.log("differs:", prompt, "\n  ours  ", ours.join(" "), "\n  theirs", theirs.join(" "));
}
console.log(`greedy: ${equal} of ${prompts.length} continuations of up to 64 tokens the same, ${ties} part at a near-tie`);
process.exit(same === documents.length && equal + ties === prompts.length ? 0 : 1);
