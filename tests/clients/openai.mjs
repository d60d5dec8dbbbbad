// openai.mjs - OpenAI's client: chats, completions, embeddings, models.
import OpenAI from 'openai';
import { cities, idle, isCity, key, model, need, question, refused, schema, server, thinker, thinking } from './common.mjs';

const c = new OpenAI({ baseURL: server + '/v1', apiKey: key, maxRetries: 0 });
const deep = new OpenAI({ baseURL: thinker + '/v1', apiKey: key, maxRetries: 0 });
const messages = [{ role: 'user', content: question }], ask = { model, messages, max_tokens: 20, seed: 1 };
const tools = ['weather', 'time'].map((name) => ({ type: 'function', function: { name, strict: true, parameters: cities } }));
const calling = { ...ask, max_tokens: 200, tools, tool_choice: 'required', parallel_tool_calls: false };

export const client = 'openai', needs = 'openai';
export const features = {
    models: async () => {
        need((await c.models.retrieve(model)).id === model, 'the model');
        await refused(() => c.models.retrieve('gpt-4'), (e) => e instanceof OpenAI.NotFoundError);
    },
    text: async () => {
        const whole = await c.chat.completions.create(ask);
        need(whole.choices[0].finish_reason === 'length' && whole.usage.completion_tokens === 20, 'twenty tokens');
        const out = await c.completions.create({ model, prompt: 'Once', max_tokens: 5, logprobs: 2 });
        need(out.choices[0].logprobs.tokens.length === 5, 'log-probabilities');
    },
    stream: async () => {
        const whole = (await c.chat.completions.create(ask)).choices[0].message.content;
        let text = '', usage;
        for await (const chunk of await c.chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } }))
            text += chunk.choices[0]?.delta?.content ?? '', usage = chunk.usage ?? usage;
        need(text === whole && usage.completion_tokens === 20, 'the whole text in pieces');
        need((await c.chat.completions.stream(ask).finalChatCompletion()).choices[0].message.content === whole, 'the helper\'s, too');
    },
    schema: async () => {
        const form = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } };
        const parsed = await c.chat.completions.parse({ ...ask, max_tokens: 90, response_format: form });
        need(JSON.parse(parsed.choices[0].message.content).a >= 0, 'a number');
    },
    call: async () => {
        const [choice] = (await c.chat.completions.create(calling)).choices;
        need(choice.finish_reason === 'tool_calls' && isCity(JSON.parse(choice.message.tool_calls[0].function.arguments)), 'a call');
    },
    'call streamed': async () => {
        const whole = (await c.chat.completions.create(calling)).choices[0].message.tool_calls[0].function;
        let pieces = 0;
        const stream = c.chat.completions.stream(calling).on('tool_calls.function.arguments.delta', () => { pieces++; });
        const [call] = (await stream.finalChatCompletion()).choices[0].message.tool_calls;
        need(call.function.arguments === whole.arguments && call.function.name === whole.name && pieces > 1, 'the same call in pieces');
    },
    result: async () => {
        const said = (await c.chat.completions.create(calling)).choices[0].message;
        const more = [...messages, said, { role: 'tool', tool_call_id: said.tool_calls[0].id, content: 'sunny' }];
        need((await c.chat.completions.create({ ...ask, tools, messages: more })).choices.length === 1, 'an answer');
    },
    thought: async () => {
        const whole = await deep.chat.completions.create({ ...ask, model: thinking });
        need(whole.choices[0].message.reasoning_content.length > 0, 'a thought');
    },
    embeddings: async () => {
        const { data } = await c.embeddings.create({ model, input: ['a', 'b'] });
        need(data[1].embedding.length > 8, 'vectors');
    },
    refusal: () => refused(() => c.chat.completions.create({ ...ask, top_p: 7 }), (e) => e instanceof OpenAI.BadRequestError && e.param === 'top_p'),
    cancel: async () => {
        const endless = { ...ask, max_tokens: 900, chain: 'min_tokens:900,temp:1', stream: true };
        for await (const _ of await c.chat.completions.create(endless)) break;
        await idle();
    },
};
