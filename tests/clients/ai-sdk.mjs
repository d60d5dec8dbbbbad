// ai-sdk.mjs - Vercel's AI SDK with its provider for servers that speak as OpenAI does.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, Output, embedMany, generateText, jsonSchema, streamText, tool } from 'ai';
import { cities, idle, isCity, key, model, need, question, refused, schema, server, thinker, thinking } from './common.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;
const provider = (url) => createOpenAICompatible({ name: 'strata', baseURL: url + '/v1', apiKey: key, supportsStructuredOutputs: true });
const ask = { model: provider(server)(model), prompt: question, maxOutputTokens: 20, seed: 1, maxRetries: 0 };
const tools = Object.fromEntries(['weather', 'time'].map((name) => [name, tool({ inputSchema: jsonSchema(cities) })]));
const calling = { ...ask, maxOutputTokens: 200, temperature: 0, tools, toolChoice: 'required' };
const one = { strata: { parallel_tool_calls: false } };

export const client = 'ai-sdk', needs = ['ai', '@ai-sdk/openai-compatible'];
export const features = {
    text: async () => {
        const whole = await generateText(ask);
        need(whole.finishReason === 'length' && whole.usage.outputTokens === 20, 'twenty tokens');
    },
    stream: async () => {
        let text = '';
        for await (const piece of streamText(ask).textStream) text += piece;
        need(text === (await generateText(ask)).text, 'the whole text in pieces');
    },
    schema: async () => need((await generateText({ ...ask, maxOutputTokens: 90, output: Output.object({ schema: jsonSchema(schema) }) })).output.a >= 0, 'a number'),
    call: async () => {
        const called = await generateText({ ...calling, providerOptions: one });
        need(called.finishReason === 'tool-calls' && isCity(called.toolCalls[0].input), 'a call');
    },
    'call streamed': async () => {
        const [whole] = (await generateText({ ...calling, providerOptions: one })).toolCalls;
        let pieces = 0, call;
        for await (const part of streamText({ ...calling, providerOptions: one }).fullStream) {
            pieces += part.type === 'tool-input-delta';
            if (part.type === 'tool-call') call ??= part;
        }
        need(JSON.stringify(call.input) === JSON.stringify(whole.input) && pieces > 1, 'the same call in pieces');
    },
    result: async () => {
        const called = await generateText({ ...calling, providerOptions: one }), { toolCallId, toolName } = called.toolCalls[0];
        const messages = [{ role: 'user', content: question }, ...called.response.messages, { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'sunny' } }] }];
        const { prompt, ...rest } = ask;
        need((await generateText({ ...rest, tools, messages })).usage.outputTokens > 0, 'an answer');
    },
    thought: async () => need((await generateText({ ...ask, model: provider(thinker)(thinking) })).reasoningText.length > 0, 'a thought'),
    embeddings: async () => need((await embedMany({ model: provider(server).embeddingModel(model), values: ['a', 'b'] })).embeddings[1].length > 8, 'vectors'),
    refusal: () => refused(() => generateText({ ...ask, topP: 7 }), (e) => APICallError.isInstance(e) && e.statusCode === 400),
    cancel: async () => {
        const abort = new AbortController();
        const stream = streamText({ ...ask, maxOutputTokens: 900, abortSignal: abort.signal, onError: () => {} });
        try { for await (const _ of stream.textStream) abort.abort(); } catch { /* aborted */ }
        await idle();
    },
};
