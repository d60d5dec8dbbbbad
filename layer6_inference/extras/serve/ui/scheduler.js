// scheduler.js - what the server does: its load, the pages of the KV cache, the steps of its scheduler.
'use strict';
const hueOf = answer => hues[answer % hues.length];
let rates = [], connected = true;

// ---------------------------------------------------------------- the load

function tableRow(kind, cells) {
    const tr = make('tr');
    for (const cell of cells) tr.append(make(kind, cell));
    return tr;
}

function showLoad(load) {
    rates = [...rates, load.running ? load.tokens_per_second : 0].slice(-120);
    const top = Math.max(...rates, 1);
    $('rate').firstChild.setAttribute('points', rates.map((r, i) => `${i},${44 - 42 * r / top}`).join(' '));
    $('top').textContent = `tokens per second, the last minute; at most ${Math.round(Math.max(...rates))}`;
    $('counts').textContent = `${load.running} of ${load.places} running, ${load.waiting} of ${load.queue} waiting; ${Math.round(rates.at(-1))} tokens/s; ${load.preempted} preempted`;
    const rows = load.answers.slice(0, 20).map(a => {
        const tr = tableRow('td', [a.id, a.running ? 'running' : 'waiting', a.prompt, a.shared, a.tokens, a.pages]);
        tr.style.color = hueOf(a.id);
        return tr;
    });
    $('answers').replaceChildren(...rows.length ? [tableRow('th', ['answer', '', 'prompt', 'cached', 'tokens', 'pages']), ...rows] : []);
}

// ---------------------------------------------------------------- pages of the KV cache

let map = null, chosenPage = null, drawn = '';

// Pages by number, in the order of their owners: who names them, and at which positions.
function pagesOf(m) {
    const pages = new Map(), page = (n, references) => pages.get(n) || pages.set(n, {n, references, owners: [], prefix: null}).get(n);
    for (const s of m.sequences) s.pages.forEach(([n, references], i) => { if (n >= 0) page(n, references).owners.push({answer: s.answer, slot: s.slot, first: i * m.page_tokens, length: s.length}); });
    for (const p of m.prefixes) page(p.page, p.references).prefix = p;
    return [...pages.values()];
}

const listed = names => names.length < 2 ? names.join('') : names.slice(0, -1).join(', ') + ' and ' + names.at(-1);

function pageInWords(p, m) {
    const positions = first => `positions ${first} to ${first + m.page_tokens - 1}`, answers = p.owners.map(o => `answer ${o.answer}${o.slot ? ' (its second text)' : ''}`);
    const filled = o => Math.max(0, Math.min(m.page_tokens, o.length - o.first)), of = p.owners[0];
    const words = [`Page ${p.n} of layer ${m.layer}: the keys and values of ${positions(of ? of.first : p.prefix.first)}` + (of ? `, ${filled(of)} of ${m.page_tokens} written.` : '.')];
    if (answers.length > 1) words.push(`It is shared: ${listed(answers)} begin with the same tokens up to here, so these were computed once.`);
    else if (answers.length) words.push(`It belongs to ${answers[0]}.`);
    if (p.prefix && answers.length) words.push('The prefix cache keeps it, too: a later prompt that begins with the same tokens finds it.');
    if (p.prefix && !answers.length) words.push(`Only the prefix cache holds it: a prompt that begins with the same ${p.prefix.first + m.page_tokens} tokens need not compute them. It goes when room is needed, the least recently used first`
        + (p.prefix.children ? `, but after the ${p.prefix.children} page${p.prefix.children > 1 ? 's' : ''} that continue it.` : '.'));
    const tables = `${answers.length} page table${answers.length === 1 ? '' : 's'}`;
    words.push(`Reference count ${p.references}: ${p.prefix ? (answers.length ? tables + ' and the prefix cache' : 'the prefix cache') : tables}.`);
    if (p.references > 1) words.push('A sequence that writes to it copies it first.');
    return words.join(' ');
}

function showPage() {
    const p = map && chosenPage !== null && pagesOf(map).find(q => q.n === chosenPage);
    $('page').textContent = p ? pageInWords(p, map) : chosenPage === null ? 'Click a page to see whose it is.' : `Page ${chosenPage} is free now.`;
    for (const e of $('pages').children) e.setAttribute('aria-pressed', +e.dataset.page === chosenPage);
}

function pageCell(p) {
    const e = button('', () => { chosenPage = p.n, showPage(); }, 'cell'), of = p.owners[0];
    e.dataset.page = p.n, e.tabIndex = -1;
    e.classList.toggle('of', !!of), e.classList.toggle('kept', !of), e.classList.toggle('shared', p.owners.length > 1 || !!(of && p.prefix));
    if (of) e.style.backgroundColor = hueOf(of.answer);
    e.title = of ? listed(p.owners.map(o => 'answer ' + o.answer)) + (p.prefix ? ', prefix cache' : '') : 'prefix cache';
    e.setAttribute('aria-label', `page ${p.n}: ${e.title}`);
    return e;
}

function showPages(m) {
    const pages = pagesOf(m), shape = JSON.stringify(pages.map(p => [p.n, p.references, p.owners.map(o => o.answer), !!p.prefix]));
    map = m;
    $('used').textContent = m.pages ? `Layer ${m.layer}, one of ${m.layers} that store keys and values: ${m.pages - m.free} of ${m.pages} pages in use, ${m.page_tokens} positions each.` : 'This model keeps no keys and values: its state has a fixed size.';
    if (shape !== drawn) {
        const focused = document.activeElement.dataset.page, free = Math.max(0, Math.min(m.pages - pages.length, 240 - pages.length));
        $('pages').replaceChildren(...pages.slice(0, 400).map(pageCell), ...Array.from({length: free}, () => { const e = make('i', undefined, 'cell'); e.title = 'free'; return e; }));
        const cells = [...$('pages').querySelectorAll('button')], at = cells.find(e => e.dataset.page === focused);
        if (cells.length) (at || cells[0]).tabIndex = 0;
        if (at) at.focus();
        drawn = shape;
    }
    showPage();
}

$('pages').addEventListener('keydown', e => {
    const cells = [...$('pages').querySelectorAll('button')], at = cells.indexOf(e.target), to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cells.length - 1}[e.key];
    if (to === undefined || !cells[to]) return;
    e.preventDefault(), e.target.tabIndex = -1, cells[to].tabIndex = 0, cells[to].focus();
});

// ---------------------------------------------------------------- steps of the scheduler

let steps = [], next = 0, at = -1, live = true, budget = 0;
const WINDOW = 60, ROW = 18, LEFT = 34, does = {waits: 'waits', held: 'waits for a page', prompt: 'reads its prompt', again: 'reads its text again, after a preemption', answer: 'decodes'};

function jobInWords([answer, work, tokens, found, pages, mark, written]) {
    const words = [`answer ${answer} ${does[work]}`];
    if (tokens) words.push(`: ${tokens} token${tokens > 1 ? 's' : ''}`);
    if (mark === 'in') words.push(found ? `; admitted, ${found} tokens found in the prefix cache` : '; admitted');
    if (mark === 'out') words.push('; preempted: its pages go to a more urgent one');
    if (mark === 'end') words.push(`; over after ${written} token${written === 1 ? '' : 's'}`);
    else if (pages) words.push(`; ${pages} page${pages > 1 ? 's' : ''}`);
    return words.join('');
}

function svgPart(name, attributes) {
    const e = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    return e;
}

// What an answer does in a step, as a mark in its column.
function marks([, work, tokens, , , mark], x, y, width) {
    const tall = work === 'answer' ? 8 : work === 'prompt' || work === 'again' ? 14 : 2, all = [svgPart('rect', {x, y: y + (ROW - tall) / 2, width: Math.max(1, width - .6), height: tall, class: 'does-' + work})];
    if (mark === 'in') all.push(svgPart('path', {d: `M${x} ${y + 1} h6 l-3 5 z`, class: 'mark-in'}));
    if (mark === 'out') all.push(svgPart('path', {d: `M${x} ${y + 5} l8 8 m0 -8 l-8 8`, class: 'mark-out'}));
    if (mark === 'end') all.push(svgPart('rect', {x: x + width - 1.5, y: y + 2, width: 1.5, height: ROW - 4, class: 'mark-end'}));
    return all;
}

function showSteps() {
    const last = steps.length - 1;
    at = live ? last : Math.min(Math.max(at, 0), last);
    $('scrub').max = Math.max(0, last), $('scrub').value = at, $('live').setAttribute('aria-pressed', live);
    if (at < 0) return $('step').replaceChildren(make('p', 'No step yet: the scheduler sleeps until a message comes.', 'hint'));
    const from = Math.max(0, Math.min(at - WINDOW / 2, last - WINDOW + 1) | 0), part = steps.slice(from, from + WINDOW), width = 340, each = (width - LEFT) / WINDOW;
    const answers = [...new Set(part.flatMap(s => s.jobs.map(j => j[0])))].sort((a, b) => a - b).slice(-12), height = answers.length * ROW + 4, svg = $('steps');
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const names = answers.map((a, i) => { const e = svgPart('text', {x: 2, y: i * ROW + 14}); e.textContent = a; return e; });
    const all = part.flatMap((s, i) => s.jobs.filter(j => answers.includes(j[0])).flatMap(j => marks(j, LEFT + i * each, answers.indexOf(j[0]) * ROW, each)));
    svg.replaceChildren(...names, ...all, svgPart('rect', {x: LEFT + (at - from) * each, y: 0, width: each, height, class: 'now'}));
    const s = steps[at], read = s.jobs.reduce((n, j) => n + j[2], 0), list = make('ul');
    list.append(...s.jobs.map(j => make('li', jobInWords(j))));
    if (s.more) list.append(make('li', `and ${s.more} more`));
    $('step').dataset.step = s.step;
    const says = `step ${s.step + 1}, ${(1000 * s.took).toFixed(1)} ms: a batch of ${read} token${read === 1 ? '' : 's'}, ${budget} at most; ${s.waiting} waiting`;
    $('step').replaceChildren(make('b', says), list), $('scrub').setAttribute('aria-valuetext', says);
}

// Scrubbing stops the picture; at its end it is live again.
function goTo(i) { live = i >= steps.length - 1, at = i, showSteps(); }
$('scrub').addEventListener('input', () => goTo(+$('scrub').value));
$('back').addEventListener('click', () => goTo(at - 1));
$('on').addEventListener('click', () => goTo(at + 1));
$('live').addEventListener('click', () => goTo(steps.length - 1));
$('steps').addEventListener('click', e => {
    const box = $('steps').getBoundingClientRect(), from = Math.max(0, Math.min(at - WINDOW / 2, steps.length - WINDOW) | 0);
    goTo(Math.min(steps.length - 1, from + Math.max(0, Math.floor(((e.clientX - box.left) * 340 / box.width - LEFT) / ((340 - LEFT) / WINDOW)))));
});

function addSteps(log) {
    if (log.next < next) steps = [], next = 0; // another server than before
    const more = log.steps.filter(s => s.step >= next);
    if (!live) at -= Math.max(0, steps.length + more.length - 1024);
    steps = [...steps, ...more].slice(-1024), next = log.next, budget = log.budget;
    if (more.length || at < 0) showSteps();
}

// ---------------------------------------------------------------- again and again

const get = async path => (await ask(path)).json();

async function showModel() {
    const list = await get('v1/models'), m = list.data[0];
    $('picture').hidden = !m.architecture?.input_modalities.includes('image'); // nothing is known of a model that is not loaded
    $('model').textContent = m.meta ? `${m.id}: ${m.meta.arch}, ${m.meta.layers} layers, context ${m.meta.ctx}` : `${m.id}: ${m.status.value}`;
}

function showState(text) { $('state').textContent = text, $('state').hidden = !text; }

async function look() {
    let pause = 500;
    try {
        if (!document.hidden) {
            showLoad(await get('load'));
            showPages(await get('strata/pages'));
            addSteps(await get('strata/schedule/' + next));
            if (!connected || !$('model').textContent) await showModel();
            connected = true, showState('');
        }
    } catch (error) {
        connected = false, pause = 2000;
        showState(error.plain ? error.message : 'The server does not answer: it may have been stopped, or the network is down. This page tries again every 2 seconds; your conversation is kept.');
    }
    setTimeout(look, pause);
}
$('key').addEventListener('change', () => showModel().then(() => showState(''), () => {}));
look();
