// ollama.mjs - Ollama's client.
import { Ollama } from 'ollama';
import { cities, idle, model, need, question, refused, schema, server, thinker, thinking } from './common.mjs';

const c = new Ollama({ host: server }), deep = new Ollama({ host: thinker });
const messages = [{ role: 'user', content: question }], options = { num_predict: 20, seed: 1 }, ask = { model, messages, options };
const tools = ['weather', 'time'].map((name) => ({ type: 'function', function: { name, description: '', parameters: cities } }));

export const client = 'ollama', needs = 'ollama';
export const features = {
    models: async () => {
        need((await c.list()).models[0].name === model && (await c.ps()).models.length === 1, 'the model');
        need((await c.show({ model })).capabilities.includes('completion'), 'what it can');
    },
    text: async () => {
        need((await c.chat(ask)).eval_count === 20, 'twenty tokens');
        need((await c.generate({ model, prompt: 'Once upon', raw: true, options })).response.length > 0, 'a text');
        need((await c.generate({ model, prompt: '' })).done_reason === 'load', 'it is loaded');
    },
    stream: async () => {
        let text = '';
        for await (const part of await c.chat({ ...ask, stream: true })) text += part.message.content;
        need(text === (await c.chat(ask)).message.content, 'the whole text in pieces');
    },
    schema: async () => need(JSON.parse((await c.chat({ ...ask, options: {}, format: schema })).message.content).a >= 0, 'a number'),
    call: 'its API cannot ask for a call, and the storyteller has never learned to make one',
    'call streamed': 'the same; tests/server/pieces.py makes one likely',
    result: async () => {
        const call = { function: { name: 'weather', arguments: { city: 'Rome' } } };
        const more = [...messages, { role: 'assistant', content: '', tool_calls: [call] }, { role: 'tool', tool_name: 'weather', content: 'sunny' }];
        need((await c.chat({ ...ask, tools, messages: more })).done, 'an answer');
    },
    thought: async () => need((await deep.chat({ ...ask, model: thinking, think: true })).message.thinking.length > 0, 'a thought'),
    embeddings: async () => need((await c.embed({ model, input: ['a', 'b'] })).embeddings[1].length > 8, 'vectors'),
    refusal: async () => {
        await refused(() => c.chat({ ...ask, model: 'no-such' }), (e) => e.status_code === 404);
        await refused(() => c.chat({ ...ask, options: { top_p: 7 } }), (e) => e.status_code === 400);
    },
    cancel: async () => {
        const stream = await c.chat({ ...ask, options: { num_predict: 900, temperature: 0 }, stream: true });
        for await (const _ of stream) { stream.abort(); break; }
        await idle();
    },
};
