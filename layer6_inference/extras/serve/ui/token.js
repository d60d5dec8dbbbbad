// token.js - one token: what could have come in its place, and what each stage of the chain left of it.  The server runs the chain again (POST /strata/steps).
'use strict';
let opened = null; // {turn, index, steps, at}: at is the stage that is shown

const percent = p => p >= .9995 ? '100 %' : p >= .0995 ? (100 * p).toFixed(0) + ' %' : p >= .00095 ? (100 * p).toFixed(1) + ' %' : p > 0 ? p.toExponential(0) : '0';
const spelled = text => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(' ', '\u00b7') || '(no text)';

function closeToken() {
    const was = opened;
    document.querySelector('.token.open')?.classList.remove('open');
    opened = null;
    $('token').hidden = true, $('token').replaceChildren();
    if (was) was.turn.tokens[was.index]?.span.focus();
}

function tokenHead(turn, index) {
    const head = make('div', undefined, 'head'), close = button('\u00d7', closeToken, 'close');
    close.setAttribute('aria-label', 'close');
    head.append(make('h2', `\u201c${spelled(turn.tokens[index].text)}\u201d, token ${index + 1} of ${turn.tokens.length}`), close);
    return head;
}

async function openToken(turn, index) {
    const mine = opened = {turn, index}, token = turn.tokens[index];
    document.querySelector('.token.open')?.classList.remove('open');
    token.span.classList.add('open');
    $('token').hidden = false;
    $('token').replaceChildren(tokenHead(turn, index), make('p', 'Asking the server what could have come here \u2026', 'hint'));
    $('token').focus({preventScroll: true}), $('token').scrollIntoView({block: 'nearest'});
    try {
        const body = {model: turn.model, messages: before(turn), chain: turn.chain, seed: token.seed, watch: [token.id]};
        if (index) body.answer_tokens = turn.tokens.slice(0, index).map(t => t.id);
        const steps = await (await ask('strata/steps', body)).json();
        if (opened !== mine) return;
        mine.steps = steps, mine.at = Math.max(0, steps.stages.length - 2); // what the last stage, which selects, chose from
        showToken();
    } catch (error) {
        if (opened === mine) $('token').replaceChildren(tokenHead(turn, index), make('p', wordsOf(error), 'fault'));
    }
}

// A token has one colour in all stages: by its rank before the chain.
function colourOf(id) {
    const rank = opened.steps.stages[0].tokens.findIndex(t => t.id === id);
    return rank >= 0 && rank < hues.length ? hues[rank] : 'var(--plot-slate)';
}

function stageName(i) {
    const {steps} = opened, parts = steps.chain.split(',');
    return i ? parts[i - 1] || steps.stages[i].stage : 'the model';
}

// A stage as one bar of width 1: a piece for each token, as wide as its probability.
function stageButton(stage, i) {
    const e = button('', () => { opened.at = i, showToken(); $('token').querySelectorAll('.stage')[i].focus(); }, 'stage'), stack = make('span', undefined, 'stack');
    for (const t of stage.tokens.slice(0, 40)) {
        const piece = make('i');
        piece.style.width = 100 * t.prob + '%', piece.style.background = colourOf(t.id), piece.title = `${spelled(t.token)} ${percent(t.prob)}`;
        stack.append(piece);
    }
    e.setAttribute('aria-pressed', i === opened.at);
    const last = i === opened.steps.stages.length - 1;
    e.append(make('span', stageName(i)), make('small', last ? `chooses \u201c${spelled(opened.steps.chosen.token)}\u201d` : `${i ? 'left ' : ''}${stage.left} token${stage.left === 1 ? '' : 's'}`), stack);
    return e;
}

function barOf(prob, colour) {
    const full = make('span', undefined, 'full'), part = make('i');
    part.style.width = 100 * prob + '%', part.style.background = colour;
    full.append(part);
    return full;
}

function row(cells, name) {
    const tr = make('tr', undefined, name);
    for (const cell of cells) {
        const td = make('td');
        td.append(cell);
        tr.append(td);
    }
    return tr;
}

// The candidates after a stage; those that it cut; all others as one row.
function candidates() {
    const {turn, index, steps, at} = opened, stage = steps.stages[at], table = make('table'), now = turn.tokens[index].id;
    const head = make('tr');
    for (const name of ['token', '0 to 1', 'p', 'logit', '']) head.append(make('th', name));
    const cut = at ? steps.stages[at - 1].tokens.filter(t => !stage.tokens.some(s => s.id === t.id)) : [];
    const go = t => {
        const e = button(t.ends ? 'end' : 'take', () => { closeToken(); branch(turn, index, t, turn.seed); });
        e.setAttribute('aria-label', t.ends ? 'end the answer here' : `go on with ${spelled(t.token)}`);
        return e;
    };
    const name = t => t.ends ? '(end) ' + spelled(t.token) : spelled(t.token);
    const rows = [...stage.tokens.map(t => row([name(t), barOf(t.prob, colourOf(t.id)), percent(t.prob), t.logit.toFixed(2), t.id === now ? '' : go(t)], t.id === now ? 'now' : '')),
        ...cut.map(t => row([name(t), `cut by ${stage.stage}`, '\u2013', t.logit.toFixed(2), t.id === now ? '' : go(t)], t.id === now ? 'cut now' : 'cut'))];
    if (stage.rest.count) rows.push(row([`${stage.rest.count} others`, barOf(stage.rest.prob, 'var(--plot-gray)'), percent(stage.rest.prob), '', ''], 'rest'));
    table.append(make('caption'), head, ...rows);
    return table;
}

function showToken() {
    const {turn, index, steps, at} = opened, token = turn.tokens[index], first = steps.stages[0].tokens.find(t => t.id === token.id), list = make('div', undefined, 'stages');
    const again = button('Sample again from here', () => { closeToken(); branch(turn, index, null, turn.seed + 1); });
    again.title = `The tokens before it stay; the rest is drawn with seed ${turn.seed + 1}`;
    list.append(...steps.stages.map(stageButton));
    const says = token.surprisal === undefined ? `You chose this token; the chain would have drawn \u201c${spelled(steps.chosen.token)}\u201d.`
        : `The model gave it p = ${percent(first ? first.prob : Math.exp(-token.surprisal))}, a surprisal of ${token.surprisal.toFixed(2)} nats.`;
    $('token').replaceChildren(tokenHead(turn, index), make('p', says), again,
        make('h3', 'The chain, stage by stage'), make('p', 'Each bar is all probability, 1; a colour is a token. Choose a stage to list what it left.', 'hint'), list,
        make('h3', at ? `After ${stageName(at)}` : 'Before the chain'), candidates());
}

document.addEventListener('keydown', e => { if (e.key === 'Escape' && opened) closeToken(); });
