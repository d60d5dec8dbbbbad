// table.mjs - published vocabularies, converted by strata convert: how many of many texts have the tokens that the originals
// give them.  A row for each; "NOT" where one differs, and the program fails.
//
//     node table.mjs STRATA TEXTS
//
// A vocabulary is converted with a model of zeros, since `strata tokenize` reads no other part of it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TokenizerLoader } from '@lenml/tokenizers';
import { get_encoding } from 'tiktoken';
import { makeTexts } from './texts.mjs';

const [strata, wanted] = [process.argv[2], Number(process.argv[3])];
const names = ['claude', 'deepseek_v3', 'gpt4o', 'llama3_2', 'qwen3'];
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));

// A Llama of one block and 32 numbers, all 0.
function writeModel(folder, vocab) {
    const shapes = {
        'model.embed_tokens.weight': [vocab, 32], 'lm_head.weight': [vocab, 32], 'model.norm.weight': [32],
        'model.layers.0.input_layernorm.weight': [32], 'model.layers.0.post_attention_layernorm.weight': [32],
    };
    for (const map of ['q', 'k', 'v', 'o']) shapes[`model.layers.0.self_attn.${map}_proj.weight`] = [32, 32];
    for (const map of ['gate', 'up', 'down']) shapes[`model.layers.0.mlp.${map}_proj.weight`] = [32, 32];
    const header = {};
    let at = 0;
    for (const [name, shape] of Object.entries(shapes)) {
        const size = 2 * shape.reduce((a, b) => a * b);
        header[name] = { dtype: 'BF16', shape, data_offsets: [at, at += size] };
    }
    const text = Buffer.from(JSON.stringify(header)), size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(text.length));
    writeFileSync(`${folder}/model.safetensors`, Buffer.concat([size, text, Buffer.alloc(at)]));
    writeFileSync(`${folder}/config.json`, JSON.stringify({
        architectures: ['LlamaForCausalLM'], model_type: 'llama', vocab_size: vocab, hidden_size: 32, intermediate_size: 32,
        num_hidden_layers: 1, num_attention_heads: 1, num_key_value_heads: 1, max_position_embeddings: 64, rms_norm_eps: 1e-5,
        hidden_act: 'silu', tie_word_embeddings: false, rope_theta: 10000,
    }));
}

function convert(name, tokenizer) {
    const from = resolve(`node_modules/@lenml/tokenizer-${name}/models`), folder = `folder-${name}`, file = `${name}.gguf`;
    const ids = [...Object.values(tokenizer.model.vocab), ...tokenizer.added_tokens.map((token) => token.id)];
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const part of ['tokenizer.json', 'tokenizer_config.json']) symlinkSync(`${from}/${part}`, `${folder}/${part}`);
    writeModel(folder, ids.reduce((most, id) => Math.max(most, id), 0) + 1);
    execFileSync(strata, ['convert', folder, file], { stdio: ['ignore', 'ignore', 'pipe'] });
    return file;
}

// One text a line; then all of them as one text.
function tokensOf(file, texts) {
    const read = (input, ...options) => execFileSync(strata, ['tokenize', '-m', file, ...options], { input, maxBuffer: 1 << 28 }).toString();
    return [...read(texts.join('\n') + '\n').split('\n').slice(0, texts.length), read(texts.join('\n'), '--all').trim().replace(/\s+/g, ' ')];
}

let failures = 0;
function compare(name, original, form, ours, theirs, texts) {
    const all = [...texts, texts.join('\n')], wrong = all.findIndex((_, i) => ours[i].trim() !== theirs[i]);
    const right = all.filter((_, i) => ours[i].trim() === theirs[i]).length;
    console.log(`${name.padEnd(14)}${original.padEnd(16)}${form.padEnd(8)}${right} of ${all.length}${wrong < 0 ? '' : '  NOT'}`);
    if (wrong < 0) return;
    failures++;
    const shown = all[wrong].length > 200 ? `(${all[wrong].length} characters)` : JSON.stringify(all[wrong]);
    console.log(`    ${shown}\n    ours      ${ours[wrong].slice(0, 300)}\n    original  ${theirs[wrong].slice(0, 300)}`);
}

const forms = (step) => (step?.normalizers ?? [step]).map((one) => one?.type).filter((type) => /^NF/.test(type)).join(' ') || '-';

console.log(`${'vocabulary'.padEnd(14)}${'original'.padEnd(16)}${'form'.padEnd(8)}the same tokens`);
for (const name of names) {
    const models = `node_modules/@lenml/tokenizer-${name}/models`, tokenizerJSON = json(`${models}/tokenizer.json`);
    const names_ = tokenizerJSON.added_tokens.map((token) => token.content);
    const texts = makeTexts(wanted).filter((text) => !names_.some((token) => text.includes(token)));
    const ours = tokensOf(convert(name, tokenizerJSON), texts);
    const hf = TokenizerLoader.fromPreTrained({ tokenizerJSON, tokenizerConfig: json(`${models}/tokenizer_config.json`) });
    const all = [...texts, texts.join('\n')];
    compare(name, 'tokenizers.js', forms(tokenizerJSON.normalizer), ours, all.map((text) => hf.encode(text, { add_special_tokens: false }).join(' ')), texts);
    if (name !== 'gpt4o') continue;
    const tiktoken = get_encoding('o200k_base');
    compare(name, 'tiktoken', '-', ours, all.map((text) => [...tiktoken.encode(text, [], [])].join(' ')), texts);
    tiktoken.free();
}
process.exitCode = failures ? 1 : 0;
