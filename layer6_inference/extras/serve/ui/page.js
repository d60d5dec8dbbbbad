// page.js - the conversation: messages go out, tokens come in, each a span that can be opened (token.js).
'use strict';
const $ = id => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
// name, min, max, step, off value, value
const stages = [['temp', 0, 2, .05, 1, .8], ['top_k', 0, 100, 1, 0, 0], ['top_p', .05, 1, .01, 1, 1], ['min_p', 0, .5, .01, 0, .05], ['typical', .05, 1, .01, 1, 1],
    ['xtc', 0, 1, .05, 0, 0], ['dry', 0, 2, .05, 0, 0], ['penalties', 1, 1.5, .01, 1, 1]];
const order = ['dry', 'penalties', 'top_k', 'typical', 'top_p', 'min_p', 'xtc', 'temp'];
const hues = ['blue', 'orange', 'green', 'purple', 'sky', 'red', 'yellow', 'brown'].map(name => `var(--plot-${name})`);

/* A conversation is a list of turns. A user's has its message. An answer's has its tokens, the chain, and with each token the seed that it was drawn with.
   New replaces the whole object, so whatever still arrives for an old one cannot reach the page. */
let talk = {turns: []}, running = null, shown = [];

function make(tag, text, name) {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (name) e.className = name;
    return e;
}

function button(text, act, name) {
    const e = make('button', text, name);
    e.type = 'button';
    e.addEventListener('click', act);
    return e;
}

// ---------------------------------------------------------------- the chain

for (const [name, low, high, step, , value] of stages) {
    const row = make('label', name), slider = make('input'), output = make('output');
    Object.assign(slider, {type: 'range', id: 's-' + name, min: low, max: high, step, value});
    slider.addEventListener('input', showChain);
    row.append(slider, output);
    $('sliders').append(row);
}

function chain() {
    const parts = [];
    for (const name of order) {
        const stage = stages.find(s => s[0] === name), value = +$('s-' + name).value;
        $('s-' + name).nextSibling.value = value === stage[4] ? 'off' : value;
        if (value !== stage[4]) parts.push(name + ':' + value);
    }
    return parts.join(',') || 'draw';
}

function showChain() { $('chain').textContent = chain(); }

// ---------------------------------------------------------------- the server

function headers() {
    const key = $('key').value.trim();
    return Object.assign({'Content-Type': 'application/json'}, key ? {Authorization: 'Bearer ' + key} : {});
}

// What went wrong, for somebody who has not read HTTP's list of numbers.
function inWords(status, message) {
    if (status === 401) return 'This server wants an API key: type it into the field "API key" under Chain.';
    if (status === 429) return 'The server is busy: its queue is full. Try again in a moment.';
    if (status === 413) return 'The message is too large for this server. Send less text, or fewer images.';
    if (status === 503) return 'The server takes no requests now (' + message + ').';
    return message;
}

const lost = 'The connection to the server was lost. What has been written so far is kept.';

async function ask(path, body, signal) {
    const response = await fetch(path, body ? {method: 'POST', headers: headers(), body: JSON.stringify(body), signal} : {headers: headers(), signal});
    if (response.ok) return response;
    const error = (await response.json().catch(() => ({}))).error || {};
    throw Object.assign(new Error(inWords(response.status, error.message || response.statusText)), {plain: true});
}

// A fault of our own making has its words; of all others only those of the network are expected.
const wordsOf = error => error.plain ? error.message : error instanceof TypeError ? lost : String(error);

async function* events(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '', over = false;
    for (let part; !(part = await reader.read()).done;) {
        const frames = (rest + part.value).split('\n\n');
        rest = frames.pop();
        for (const f of frames) if (f === 'data: [DONE]') over = true; else if (f.startsWith('data: ')) yield JSON.parse(f.slice(6));
    }
    if (!over) throw Object.assign(new Error(lost), {plain: true});
}

// The models and adapters to choose from, if there are several; the first one is the server's own.
async function showModels() {
    const {data} = await ask('v1/models').then(got => got.json()).catch(() => ({data: []})), chosen = $('which').value;
    $('which').replaceChildren(...data.map(model => new Option(model.id)));
    if (data.some(model => model.id === chosen)) $('which').value = chosen;
    $('models').hidden = data.length < 2;
}

$('key').addEventListener('change', showModels);

// ---------------------------------------------------------------- pictures of the next message

function picture(url) {
    const e = make('img');
    e.src = url, e.alt = 'a picture';
    return e;
}

// Re-encode any image that the browser can open, no larger than the vision encoder needs.
async function shrink(file) {
    const bitmap = await createImageBitmap(file), scale = Math.min(1, 1024 / Math.max(bitmap.width, bitmap.height));
    const canvas = make('canvas'), paint = canvas.getContext('2d');
    canvas.width = Math.max(1, bitmap.width * scale), canvas.height = Math.max(1, bitmap.height * scale);
    paint.fillStyle = '#fff', paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/jpeg', .92);
}

function showPictures() {
    $('shown').replaceChildren(...shown.map((url, i) => {
        const remove = button('', () => { shown.splice(i, 1); showPictures(); });
        remove.title = 'Remove';
        remove.append(picture(url));
        return remove;
    }));
}

async function addPictures(files) {
    for (const file of files)
        try { shown.push(await shrink(file)); } catch { addTurn('assistant').append(make('div', `${file.name}: not an image that this browser can open. PNG and JPEG always work.`, 'fault')); }
    showPictures();
}

$('picture').addEventListener('click', () => $('file').click());
$('file').addEventListener('change', async e => { const files = [...e.target.files]; e.target.value = ''; await addPictures(files); });
$('text').addEventListener('paste', e => { if (!$('picture').hidden && e.clipboardData.files.length) { e.preventDefault(); addPictures([...e.clipboardData.files]); } });

// ---------------------------------------------------------------- turns and tokens

function addTurn(role, ...inside) {
    const turn = make('div', undefined, 'turn ' + role);
    $('empty')?.remove();
    turn.append(...inside);
    $('talk').append(turn);
    turn.scrollIntoView({block: 'end'});
    return turn;
}

// The more surprising a token (-ln p), the warmer its colour; full at 6 nats.
function paint(token) {
    const nats = token.surprisal;
    token.span.title = nats === undefined ? 'chosen by you' : nats.toFixed(2) + ' nats, p = ' + Math.exp(-nats).toPrecision(2);
    token.span.style.background = nats !== undefined && $('colours').checked ? `color-mix(in srgb, var(--warm) ${Math.min(60, 10 * nats).toFixed(0)}%, transparent)` : '';
}

function addToken(turn, token) {
    token.span = make('span', token.text, 'token' + (token.surprisal === undefined ? ' mine' : ''));
    token.seed ??= turn.seed;
    token.span.tabIndex = turn.tokens.length ? -1 : 0;
    token.span.setAttribute('role', 'button');
    turn.tokens.push(token);
    turn.place.append(token.span);
    paint(token);
}

// The tokens of a chunk share its text: each has what its bytes add, as a character may be spread over several.
function addChunk(turn, choice) {
    const tokens = choice.logprobs ? choice.logprobs.content : [];
    let text = choice.delta.content || '';
    tokens.forEach((t, i) => {
        const own = turn.decoder.decode(new Uint8Array(t.bytes), {stream: true});
        const piece = i === tokens.length - 1 ? text : text.startsWith(own) ? own : '';
        text = text.slice(piece.length);
        addToken(turn, {id: t.id, text: piece, surprisal: -t.logprob});
    });
    if (!tokens.length && text) turn.place.append(text);
    turn.text += choice.delta.content || '';
}

const turnOf = span => talk.turns.find(t => t.tokens && t.tokens.some(token => token.span === span));

function openSpan(span) {
    const turn = turnOf(span);
    if (turn) openToken(turn, turn.tokens.findIndex(t => t.span === span));
}

$('talk').addEventListener('click', e => { if (e.target.classList.contains('token')) openSpan(e.target); });
$('talk').addEventListener('keydown', e => {
    if (!e.target.classList.contains('token') || e.ctrlKey || e.altKey || e.metaKey) return;
    const turn = turnOf(e.target), all = turn ? turn.tokens.map(t => t.span) : [], at = all.indexOf(e.target);
    const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1}[e.key];
    if (e.key === 'Enter' || e.key === ' ') e.preventDefault(), openSpan(e.target);
    else if (to !== undefined && all[to]) e.preventDefault(), e.target.tabIndex = -1, all[to].tabIndex = 0, all[to].focus();
});
$('colours').addEventListener('change', () => talk.turns.forEach(t => (t.tokens || []).forEach(paint)));

// ---------------------------------------------------------------- answers

// The messages before a turn, as the server takes them.
const before = turn => talk.turns.slice(0, turn ? talk.turns.indexOf(turn) : undefined).filter(t => t.message || t.text).map(t => t.message || {role: 'assistant', content: t.text});

function showRunning() { $('send').textContent = running ? 'Stop' : 'Send'; }

function stop() {
    if (running) running.abort();
    running = null;
    showRunning();
}

function summary(usage, reason, times) {
    const rate = (usage.completion_tokens - 1) / (performance.now() - times.first) * 1000;
    const why = {stop: 'ended by itself', length: 'stopped at max tokens or the end of the context'}[reason] || reason;
    return `${usage.completion_tokens} tokens, ${why}; prompt ${usage.prompt_tokens}, ${usage.prompt_tokens_details.cached_tokens} of them cached; `
        + (times.first ? `first token after ${Math.round(times.first - times.begin)} ms` : 'no token') + (rate > 0 && isFinite(rate) ? `, then ${Math.round(rate)} tokens/s` : '');
}

// Generate a turn behind the tokens that it has.
async function generate(turn) {
    const mine = talk, control = running = new AbortController(), times = {begin: performance.now()};
    const here = () => talk === mine && running === control; // New, Stop and another answer end this one
    const keep = turn.tokens.map(t => t.id);
    let usage, reason;
    turn.control = control;
    showRunning();
    try {
        const body = {model: turn.model, messages: before(turn), stream: true, reasoning_format: 'none', chain: turn.chain, seed: turn.seed, max_tokens: Math.max(1, $('most').value - keep.length), logprobs: true, stream_options: {include_usage: true}};
        if (keep.length) body.answer_tokens = keep;
        for await (const event of events(await ask('v1/chat/completions', body, control.signal))) {
            if (!here()) throw new DOMException('', 'AbortError');
            if (event.error) throw Object.assign(new Error(event.error.message), {plain: true});
            if (event.usage) usage = event.usage;
            for (const choice of event.choices) {
                if (choice.delta.content) times.first = times.first || performance.now();
                addChunk(turn, choice);
                reason = choice.finish_reason || reason;
            }
            $('talk').scrollTop = $('talk').scrollHeight;
        }
        if (usage) turn.element.append(make('div', summary(usage, reason, times), 'said'));
    } catch (error) {
        if (talk !== mine || turn.control !== control) return;
        if (error.name === 'AbortError') turn.element.append(make('div', 'stopped', 'said'));
        else turn.element.append(make('div', wordsOf(error), 'fault'));
        if (!turn.text) giveBack(turn);
    } finally {
        if (here()) running = null, showRunning();
    }
}

// There is no answer: its message goes back into the box, to be sent again.
function giveBack(turn) {
    const at = talk.turns.indexOf(turn), asked = talk.turns[at - 1];
    if (at < 1 || !asked.message) return;
    talk.turns.splice(at - 1, 2);
    if (!$('text').value && typeof asked.message.content === 'string') $('text').value = asked.message.content;
}

function addAnswer() {
    const turn = {tokens: [], text: '', place: make('div'), decoder: new TextDecoder(), chain: chain(), seed: +$('seed').value, model: $('which').value || undefined};
    turn.element = addTurn('assistant', turn.place);
    talk.turns.push(turn);
    return turn;
}

// The answer again: its first `index` tokens stay, then comes `token` (null: one that is drawn), then what the model makes of it.
async function branch(turn, index, token, seed) {
    stop(), turn.control = null;
    talk.turns.splice(talk.turns.indexOf(turn) + 1).forEach(t => t.element.remove());
    const kept = turn.tokens.slice(0, index);
    turn.place.replaceChildren(), turn.element.replaceChildren(turn.place);
    turn.tokens = [], turn.decoder = new TextDecoder(), turn.text = kept.map(t => t.text).join(''), turn.seed = seed;
    kept.forEach(t => addToken(turn, t));
    if (token && token.ends) return turn.element.append(make('div', `${kept.length} tokens; you ended the answer here`, 'said'));
    if (token) addToken(turn, {id: token.id, text: token.token}), turn.text += token.token;
    await generate(turn);
}

$('form').addEventListener('submit', event => {
    event.preventDefault();
    if (running) return stop();
    const text = $('text').value.trim() || (shown.length ? '' : $('text').placeholder), pictures = shown;
    $('text').value = '', shown = [], showPictures();
    const parts = [...pictures.map(url => ({type: 'image_url', image_url: {url}})), ...text ? [{type: 'text', text}] : []];
    talk.turns.push({message: {role: 'user', content: pictures.length ? parts : text}, element: addTurn('user', ...pictures.map(picture), text)});
    generate(addAnswer());
});
$('text').addEventListener('keydown', e => { if (e.key === 'Enter' && !e.shiftKey) { e.preventDefault(); $('form').requestSubmit(); } });

const empty = $('empty');
$('new').addEventListener('click', () => {
    talk = {turns: []}, shown = [];
    stop(), closeToken();
    $('talk').replaceChildren(empty), showPictures(), $('text').focus();
});
showChain(), showModels();
