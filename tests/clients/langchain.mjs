// langchain.mjs - LangChain's classes for OpenAI.
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { cities, idle, isCity, key, model, need, question, refused, schema, server } from './common.mjs';

const open = (more) => new ChatOpenAI({ model, apiKey: key, maxRetries: 0, maxTokens: 20, temperature: 0, configuration: { baseURL: server + '/v1' }, ...more });
const c = open({}), long = open({ maxTokens: 200 });
const tools = ['weather', 'time'].map((name) => ({ type: 'function', function: { name, parameters: cities } }));
const calling = long.bindTools(tools, { tool_choice: 'required', parallel_tool_calls: false });

export const client = 'langchain', needs = ['@langchain/openai', '@langchain/core'];
export const features = {
    thought: 'ChatOpenAI drops reasoning_content',
    text: async () => {
        const whole = await c.invoke(question);
        need(whole.response_metadata.finish_reason === 'length' && whole.usage_metadata.output_tokens === 20, 'twenty tokens');
        const other = await open({ useResponsesApi: true }).invoke(question);
        need(other.text === whole.text, 'the same by responses');
    },
    stream: async () => {
        let text = '';
        for await (const piece of await c.stream(question)) text += piece.text;
        need(text === (await c.invoke(question)).text, 'the whole text in pieces');
    },
    schema: async () => need((await open({ maxTokens: 90 }).withStructuredOutput(schema, { name: 'x', method: 'jsonSchema' }).invoke(question)).a >= 0, 'a number'),
    call: async () => need(isCity((await calling.invoke(question)).tool_calls[0].args), 'a call'),
    'call streamed': async () => {
        let whole, pieces = 0;
        for await (const piece of await calling.stream(question)) {
            pieces += piece.tool_call_chunks?.some((chunk) => chunk.args) ?? 0;
            whole = whole ? whole.concat(piece) : piece;
        }
        const [call] = (await calling.invoke(question)).tool_calls;
        need(JSON.stringify(whole.tool_calls[0].args) === JSON.stringify(call.args) && pieces > 1, 'the same call in pieces');
    },
    result: async () => {
        const said = await calling.invoke(question);
        const talk = [new HumanMessage(question), new AIMessage({ content: '', tool_calls: said.tool_calls }), new ToolMessage({ content: 'sunny', tool_call_id: said.tool_calls[0].id })];
        need((await c.bindTools(tools).invoke(talk)).usage_metadata.output_tokens > 0, 'an answer');
    },
    embeddings: async () => {
        const vectors = await new OpenAIEmbeddings({ model, apiKey: key, configuration: { baseURL: server + '/v1' } }).embedDocuments(['a', 'b']);
        need(vectors[1].length > 8, 'vectors');
    },
    refusal: () => refused(() => open({ topP: 7 }).invoke(question), (e) => e.status === 400),
    cancel: async () => {
        for await (const _ of await open({ maxTokens: 900 }).stream(question)) break;
        await idle();
    },
};
