// table.mjs - what the official clients can do with strata serve: a row for each client, a column for each feature.
//
//     node table.mjs http://127.0.0.1:8080 http://127.0.0.1:8081      the second one's template begins a thought
//
// A cell is "ok", "NOT" (the reason is below, and the program fails), or "-": skipped, and why is below, too; empty: the client has
// no such thing.
import { readFileSync } from 'node:fs';

const names = ['models', 'text', 'stream', 'schema', 'call', 'call streamed', 'result', 'thought', 'embeddings', 'tokens', 'refusal', 'cancel'];
const files = ['openai', 'responses', 'anthropic', 'ollama', 'ai-sdk', 'langchain'];
const notes = [], width = Math.max(...names.map((name) => name.length)) + 2;
let failures = 0;

async function cell(client, name, feature) {
    if (!feature) return '';
    if (typeof feature === 'string') { notes.push(`- ${client}, ${name}: skipped: ${feature}`); return '-'; }
    try { await feature(); return 'ok'; } catch (error) {
        failures++, notes.push(`- ${client}, ${name}: NOT: ${String(error.message ?? error).slice(0, 300)}`);
        return 'NOT';
    }
}

const rows = [];
for (const file of files) {
    const { client, needs, features } = await import(`./${file}.mjs`);
    const versions = [needs].flat().map((it) => `${it} ${JSON.parse(readFileSync(`node_modules/${it}/package.json`)).version}`).join(', ');
    const cells = {};
    for (const name of names) cells[name] = await cell(client, name, features[name]);
    rows.push({ client, versions, cells });
}
console.log('feature'.padEnd(width) + rows.map((row) => row.client.padEnd(12)).join(''));
for (const name of names) console.log(name.padEnd(width) + rows.map((row) => row.cells[name].padEnd(12)).join(''));
console.log('\n' + rows.map((row) => `${row.client}: ${row.versions}`).join('\n') + '\n\n' + notes.join('\n'));
process.exitCode = failures ? 1 : 0;
