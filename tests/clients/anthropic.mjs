// anthropic.mjs - Anthropic's client.
import Anthropic from '@anthropic-ai/sdk';
import { cities, idle, isCity, key, model, need, question, refused, schema, server, thinker, thinking } from './common.mjs';

const c = new Anthropic({ baseURL: server, apiKey: key, maxRetries: 0 });
const deep = new Anthropic({ baseURL: thinker, apiKey: key, maxRetries: 0 });
const messages = [{ role: 'user', content: question }], ask = { model, max_tokens: 20, temperature: 0, messages };
const tools = ['weather', 'time'].map((name) => ({ name, input_schema: cities }));
const calling = { ...ask, max_tokens: 200, tools, tool_choice: { type: 'any', disable_parallel_tool_use: true } };

export const client = 'anthropic', needs = '@anthropic-ai/sdk';
export const features = {
    models: 'at /v1/models strata serve answers in OpenAI\'s words, and Anthropic has others for the same path',
    text: async () => {
        const whole = await c.messages.create(ask);
        need(whole.stop_reason === 'max_tokens' && whole.usage.output_tokens === 20, 'twenty tokens');
    },
    stream: async () => {
        const whole = (await c.messages.create(ask)).content[0].text;
        let text = '';
        const stream = c.messages.stream(ask).on('text', (t) => { text += t; });
        need((await stream.finalMessage()).content[0].text === whole && text === whole, 'the whole text in pieces');
    },
    schema: async () => {
        const parsed = await c.messages.parse({ ...ask, max_tokens: 90, output_config: { format: { type: 'json_schema', schema } } });
        need(JSON.parse(parsed.content[0].text).a >= 0, 'a number');
    },
    call: async () => {
        const called = await c.messages.create(calling);
        need(called.stop_reason === 'tool_use' && isCity(called.content[0].input), 'a call');
    },
    'call streamed': async () => {
        const whole = (await c.messages.create(calling)).content[0].input;
        let pieces = 0;
        const stream = c.messages.stream(calling).on('inputJson', () => { pieces++; });
        const [call] = (await stream.finalMessage()).content;
        need(JSON.stringify(call.input) === JSON.stringify(whole) && pieces > 1, 'the same call in pieces');
    },
    result: async () => {
        const { content } = await c.messages.create(calling);
        const more = [...messages, { role: 'assistant', content }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: content[0].id, content: 'sunny' }] }];
        need((await c.messages.create({ ...ask, tools, messages: more })).usage.output_tokens >= 0, 'an answer');
    },
    thought: async () => need((await deep.messages.create({ ...ask, model: thinking })).content[0].type === 'thinking', 'a thought'),
    tokens: async () => need((await c.messages.countTokens({ model, messages })).input_tokens > 0, 'a count'),
    refusal: async () => {
        await refused(() => c.messages.create({ ...ask, top_p: 7 }), (e) => e instanceof Anthropic.BadRequestError);
        await refused(() => c.messages.create({ ...ask, model: 'claude' }), (e) => e instanceof Anthropic.NotFoundError);
    },
    cancel: async () => {
        for await (const _ of await c.messages.create({ ...ask, max_tokens: 900, stream: true })) break;
        await idle();
    },
};
