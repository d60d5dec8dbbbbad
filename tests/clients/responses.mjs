// responses.mjs - OpenAI's client: responses.
import OpenAI from 'openai';
import { cities, idle, isCity, key, model, need, question, refused, schema, server, thinker, thinking } from './common.mjs';

const c = new OpenAI({ baseURL: server + '/v1', apiKey: key, maxRetries: 0 });
const deep = new OpenAI({ baseURL: thinker + '/v1', apiKey: key, maxRetries: 0 });
const ask = { model, input: question, instructions: 'Be brief.', max_output_tokens: 20, temperature: 0 };
const tools = ['weather', 'time'].map((name) => ({ type: 'function', name, strict: true, parameters: cities }));
const calling = { ...ask, max_output_tokens: 200, tools, tool_choice: 'required', parallel_tool_calls: false };

export const client = 'responses', needs = 'openai';
export const features = {
    text: async () => {
        const whole = await c.responses.create(ask);
        need(whole.status === 'incomplete' && whole.incomplete_details.reason === 'max_output_tokens' && whole.usage.output_tokens === 20, 'twenty tokens');
    },
    stream: async () => {
        const whole = (await c.responses.create(ask)).output_text, types = [];
        let text = '';
        const stream = c.responses.stream(ask).on('response.output_text.delta', (e) => { text += e.delta; }).on('event', (e) => { types.push(e.type); });
        need((await stream.finalResponse()).output_text === whole && text === whole, 'the whole text in pieces');
        need(types[0] === 'response.created' && types.at(-1) === 'response.incomplete', 'first and last event');
    },
    schema: async () => {
        const parsed = await c.responses.parse({ ...ask, max_output_tokens: 90, text: { format: { type: 'json_schema', name: 'x', strict: true, schema } } });
        need(JSON.parse(parsed.output_text).a >= 0, 'a number');
    },
    call: async () => {
        const whole = await c.responses.create(calling);
        need(whole.status === 'completed' && whole.output[0].type === 'function_call' && isCity(JSON.parse(whole.output[0].arguments)), 'a call');
    },
    'call streamed': async () => {
        const [whole] = (await c.responses.create(calling)).output;
        let text = '', pieces = 0;
        const stream = c.responses.stream(calling).on('response.function_call_arguments.delta', (e) => { text += e.delta, pieces++; });
        const [call] = (await stream.finalResponse()).output;
        need(call.arguments === whole.arguments && text === whole.arguments && pieces > 1, 'the same call in pieces');
    },
    result: async () => {
        const said = (await c.responses.create(calling)).output;
        const input = [{ role: 'user', content: question }, ...said, { type: 'function_call_output', call_id: said[0].call_id, output: 'sunny' }];
        need((await c.responses.create({ ...ask, tools, input })).output.length > 0, 'an answer');
    },
    thought: async () => need((await deep.responses.create({ ...ask, model: thinking })).output[0].type === 'reasoning', 'a thought'),
    refusal: () => refused(() => c.responses.create({ ...ask, max_output_tokens: -1 }), (e) => e instanceof OpenAI.BadRequestError && e.param === 'max_output_tokens'),
    cancel: async () => {
        for await (const _ of await c.responses.create({ ...ask, max_output_tokens: 900, stream: true })) break;
        await idle();
    },
};
