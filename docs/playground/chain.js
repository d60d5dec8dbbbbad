/* chain.js - what the playground and the lab share: the stages of the library, their groups, colours and sliders. */

/* One colour a stage, in every figure and page: --stage-NAME of the site's style sheet. */
const STAGE_COLORS = { regex: "#9467BD", grammar: "#9467BD", json_schema: "#9467BD", choice: "#9467BD", temp: "#D55E00", top_k: "#E69F00", top_p: "#0072B2", min_p: "#009E73", typical: "#CC79A7", top_n_sigma: "#56B4E9", mirostat: "#B8A800" };
const colorOf = (stage) => `var(--stage-${stage}, ${STAGE_COLORS[stage] || "#888"})`;

/* Groups of stages; a stage in none of them goes to the last. */
const STAGE_GROUPS = {
  "Cut off unlikely tokens": "min_p top_p top_k typical tfs top_a epsilon eta top_n_sigma top_h p_less min_k xtc",
  "Temperature": "temp edt quadratic",
  "Against repetition": "penalties dry no_repeat",
  "Choose the token": "draw greedy mirostat mirostat_v2 adaptive_p gumbel arithmetic skew contrastive_search",
  "Constrain the text": "grammar json json_schema tags regex choice",
  "Single tokens and length": "bias ban allow suppress force min_tokens length think",
  "Other": "watermark contrast dola cfg ref",
};

/* Map of name to {name, gloss, example, alone, list, selects, params, usual}; usual: the stage of its example. */
function kindsOf(strata) {
  const kinds = new Map();
  for (const row of strata.samplers()) {
    if (!row.key) kinds.set(row.stage, { name: row.stage, gloss: row.gloss, example: row.example, alone: row.alone === "1", list: row.list === "1", selects: row.selects === "1", params: [] });
    else kinds.get(row.stage).params.push({ key: row.key, default_value: +row.default_value, low: +row.low, high: +row.high, integer: row.integer === "1" });
  }
  for (const kind of kinds.values()) {
    strata.chain(kind.example, 1);
    kind.usual = strata.stages().find((stage) => stage.name === kind.name);
  }
  return kinds;
}

/* Stages whose name or gloss has the filter's text, as options in groups. */
function groupedStages(kinds, filter = "") {
  const names = Object.keys(STAGE_GROUPS), groupOf = (kind) => names.find((name) => STAGE_GROUPS[name].split(" ").includes(kind.name)) || names.at(-1);
  const wanted = [...kinds.values()].filter((kind) => kind.alone && (kind.name + " " + kind.gloss + " " + groupOf(kind)).toLowerCase().includes(filter.trim().toLowerCase()));
  return names.map((name) => [name, wanted.filter((kind) => groupOf(kind) === name)]).filter(([, list]) => list.length)
    .map(([name, list]) => make("optgroup", { label: name }, ...list.map((kind) => make("option", { value: kind.name }, kind.name + ": " + kind.gloss))));
}

/* A practical range for a slider, within what the library allows. */
function sliderRange(kind, p) {
  const typical = Math.max(p.default_value, kind.usual.values[p.key]);
  const high = p.high <= 1 ? p.high : Math.min(p.high, p.integer ? Math.max(100, 4 * typical) : Math.max(3, 3 * typical));
  return { low: p.low < -10 ? (p.key === "t" ? 0 : -2) : p.low, high, step: p.integer ? 1 : 0.005 };
}

/* A stage's text with every value by its name. */
const stageText = (name, values, words = []) => [name, ...words, ...Object.entries(values).map(([key, value]) => key + "=" + value)].join(":");

const shellQuoted = (text) => "'" + text.replace(/'/g, "'\\''") + "'";
