// openai.mjs - OpenAI's own client for JavaScript against strata serve.
//
//     npm install openai && node tests/server/openai.mjs http://127.0.0.1:8080      a server with --places 8
import OpenAI from 'openai';
const c = new OpenAI({ baseURL: process.argv[2] + '/v1', apiKey: 'x' });
const model = (await c.models.list()).data[0].id;
const messages = [{ role: 'user', content: 'Tell me a story.' }];
const whole = await c.chat.completions.create({ model, messages, max_tokens: 20, seed: 1 });
const stream = await c.chat.completions.create({ model, messages, max_tokens: 20, seed: 1, stream: true, stream_options: { include_usage: true } });
let text = '', usage;
for await (const chunk of stream) { text += chunk.choices[0]?.delta?.content ?? ''; usage = chunk.usage ?? usage; }
console.log(text === whole.choices[0].message.content ? 'ok' : 'not ok', 'stream', usage.completion_tokens);
const runner = c.chat.completions.stream({ model, messages, max_tokens: 20, seed: 1 });
const final = await runner.finalChatCompletion();
console.log(final.choices[0].message.content === text ? 'ok' : 'not ok', 'helper', final.choices[0].finish_reason);
const e = await c.embeddings.create({ model, input: ['a', 'b'] });
console.log(e.data[0].embedding.length === 256 ? 'ok' : 'not ok', 'embeddings');
const out = await c.completions.create({ model, prompt: 'Once', max_tokens: 5, logprobs: 2 });
console.log(out.choices[0].logprobs.tokens.length === 5 ? 'ok' : 'not ok', 'completions');
try { await c.chat.completions.create({ model, messages, top_p: 7 }); console.log('not ok'); } catch (err) { console.log(err instanceof OpenAI.BadRequestError ? 'ok' : 'not ok', 'refused:', err.message); }
try { await c.models.retrieve('gpt-4'); console.log('not ok'); } catch (err) { console.log(err instanceof OpenAI.NotFoundError ? 'ok' : 'not ok', err.message); }
const s2 = await c.chat.completions.create({ model, messages, stream: true, chain: 'min_tokens:900,temp:1' });
for await (const chunk of s2) { break; }
await new Promise(r => setTimeout(r, 600));
const load = await (await fetch(process.argv[2] + '/load')).json();
console.log(load.running === 0 ? 'ok' : 'not ok', 'break cancels');
const parsed = await c.chat.completions.create({ model, messages, max_tokens: 60, response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: { type: 'object', properties: { a: { type: 'integer', minimum: 0, maximum: 99 } }, required: ['a'], additionalProperties: false } } } });
console.log(typeof JSON.parse(parsed.choices[0].message.content).a === 'number' ? 'ok' : 'not ok', 'schema');
const sees = (await c.models.retrieve(model)).architecture.input_modalities.includes('image');
const url = 'data:image/x-portable-pixmap;base64,' + Buffer.concat([Buffer.from('P6 2 2 255 '), Buffer.alloc(12, 99)]).toString('base64');
const look = (image_url) => c.chat.completions.create({ model, max_tokens: 8, messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, { type: 'image_url', image_url }] }] });
try { const seen = await look({ url, detail: 'auto' }); console.log(sees ? 'ok' : 'not ok', 'a picture', seen.usage.prompt_tokens); } catch (err) { console.log(!sees && err instanceof OpenAI.BadRequestError ? 'ok' : 'not ok', 'refused:', err.message); }
try { await look({ url: 'https://example.com/cat.png' }); console.log('not ok'); } catch (err) { console.log(err instanceof OpenAI.BadRequestError && err.param === 'messages' ? 'ok' : 'not ok', 'refused:', err.message); }
