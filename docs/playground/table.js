/* table.js - the playground's table: the next token after each stage of the chain.
 *
 *     drawStageTable(box, strata, { draws, of, keepFocus, take })
 *
 * A column for the model and for each stage, from the trace (strata.look).  A full cell is probability 1, in every table.  The last row
 * is the tail: the tokens that have no row.  draws: for each column, how often each token came in `of` draws; or null. */
const TABLE_ROWS = 14, TRACE_ROWS = 48; // tokens with a row; rows of a stage's trace

function traceColumns(rows) {
  const found = [];
  for (const row of rows) {
    if (row.rank === "1") found.push({ stage: row.stage, prob: new Map(), words: [] });
    const column = found.at(-1);
    if (row.kept === "1") column.prob.set(row.token, +row.prob);
    column.words.push(row);
  }
  return found;
}

/* The likeliest before the choice, then the model's, and the chosen one. */
function tokensToShow(strata, rows) {
  const all = traceColumns(rows), chosen = String(strata.chosen());
  const shown = new Map();
  const show = (row) => shown.size < TABLE_ROWS && shown.set(row.token, row.text);
  const picked = rows.find((row) => row.token === chosen);
  all.slice(-2)[0].words.filter((row) => row.kept === "1").slice(0, TABLE_ROWS / 2).forEach(show);
  all[0].words.slice(0, TABLE_ROWS).forEach(show);
  if (!shown.has(chosen)) shown.set(chosen, picked?.text);
  const tokens = [...shown.keys()].sort((a, b) => (all[0].prob.get(b) || 0) - (all[0].prob.get(a) || 0));
  return { all, shown, tokens, chosen };
}

/* Ask for a few rows per stage; for all of them if a token on display is missing. */
function readTable(strata) {
  const told = tokensToShow(strata, strata.look(TRACE_ROWS));
  const whole = told.all.every((column, place) => column.prob.size === strata.left(place) || told.tokens.every((token) => column.words.some((row) => row.token === token)));
  return whole ? told : tokensToShow(strata, strata.look());
}

function drawStageTable(box, strata, { draws, of, keepFocus, take }) {
  const { all, shown, tokens, chosen } = readTable(strata), last = all.at(-1);
  const readable = (word) => word.replace(/\\x0a/g, "↵").replace(/\\x5c/g, "\\").replace(/^ /, "␣") || "(nothing)";
  const cell = (column, p, count) => make("td", {},
    make("div", { class: "pg-bar", style: `width: ${(100 * p).toFixed(2)}%; background: ${colorOf(column.stage)}` }),
    count === undefined ? "" : make("div", { class: "pg-drawn", style: `width: ${((100 * count) / of).toFixed(2)}%` }),
    make("span", {}, p < 0.0005 ? "< 0.001" : p.toFixed(3), count === undefined ? "" : make("small", {}, " " + count)));
  const gone = () => make("td", { class: "pg-gone" }, "–");
  const counted = (place, token) => draws?.[place] && (draws[place].get(token) ?? 0);
  const bar = (column, place, token) => (column.prob.has(token) ? cell(column, column.prob.get(token), counted(place, token)) : gone());
  /* The tail of a column: how many tokens, and their sum. */
  const tail = (column, place) => {
    const here = tokens.filter((token) => column.prob.has(token)), count = strata.left(place) - here.length;
    if (count <= 0) return gone();
    const sum = Math.max(0, 1 - here.reduce((total, token) => total + column.prob.get(token), 0)), came = draws?.[place] && of - tokens.reduce((total, token) => total + counted(place, token), 0);
    const made = cell(column, sum, came);
    made.append(make("small", {}, ` ${count} tokens`));
    return made;
  };
  const word = (token) => make("th", { scope: "row" }, make("button", { type: "button", title: "use this token", "data-keep": "row " + tokens.indexOf(token), click: () => take(+token) }, readable(shown.get(token))));
  const head = (column, place) => make("th", { scope: "col" }, column.stage, make("small", {}, strata.left(place) + (column === last && strata.left(place) === 1 ? " chosen" : " left")));
  keepFocus(() => box.replaceChildren(make("table", {},
    make("caption", {}, make("span", {}, "The next token after each stage. A full cell is probability 1; the arrow marks the chain's choice. Click a token to use it instead." + (draws ? ` The line below a bar, and the second number: how often the token came in ${of} draws from that distribution.` : ""))),
    make("thead", {}, make("tr", {}, make("th", {}, "token"), ...all.map(head))),
    make("tbody", {}, ...tokens.map((token) => make("tr", { class: token === chosen ? "pg-chosen" : "" }, word(token), ...all.map((column, place) => bar(column, place, token)))),
      make("tr", { class: "pg-tail" }, make("th", { scope: "row" }, "all others"), ...all.map(tail))))));
}
