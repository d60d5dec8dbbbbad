// common.mjs - what the checks of all clients need: where the servers are, and what is asked of them.

export const [server, thinker] = process.argv.slice(2);
export const key = 'x';
export const question = 'Tell me a story.';
export const model = (await (await fetch(server + '/v1/models')).json()).data[0].id;
export const thinking = (await (await fetch(thinker + '/v1/models')).json()).data[0].id;
export const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 0, maximum: 9 } }, required: ['a'], additionalProperties: false };
export const cities = { type: 'object', properties: { city: { type: 'string', enum: ['Rome', 'Oslo'] } }, required: ['city'], additionalProperties: false };
export const isCity = (input) => ['Rome', 'Oslo'].includes(input.city);
export const running = async () => (await (await fetch(server + '/load')).json()).running;
export const need = (good, what) => { if (!good) throw new Error('expected: ' + what); };

// Does it throw an error like this?
export async function refused(ask, like) {
    let thrown;
    try { await ask(); } catch (error) { thrown = error; }
    need(thrown && like(thrown), 'another error than ' + thrown);
}

// Nothing runs any more, soon after a client has stopped reading.
export async function idle() {
    for (let i = 0; i < 100 && await running(); i++) await new Promise((done) => setTimeout(done, 50));
    need(await running() === 0, 'nothing runs after the client left');
}
