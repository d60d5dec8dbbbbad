/* plot.js - the lab's plot: kept to the right, true upwards; the measured chains, and those of the reader.
 *
 *     drawFrontier(svg, { measured, dots, trail, corner, pick })
 *
 *     measured   rows of docs/figures/data/frontier.csv, by column name
 *     dots       [{label, chain, kept: share, right: share, whole}]; a share is {mean, low, high}
 *     trail      [{chain, kept, right}] in the order of a parameter: a line
 *
 * Returns the dots that are outside of the plot, and the stages that have a line. */
function readFrontier(text) {
  const [head, ...lines] = text.trim().split("\n").filter((line) => !line.startsWith("#")), names = head.split(",");
  return lines.map((line) => {
    const cells = line.match(/("[^"]*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, "").replace(/^"|"$/g, ""));
    const row = Object.fromEntries(names.map((name, i) => [name, cells[i]])), share = (name) => ({ mean: +row[name], low: +row[name + "_low"], high: +row[name + "_high"] });
    return { chain: row.chain, stage: row.chain.split(/[:,]/)[0], alone: !row.chain.includes(","), right: share("valid"), kept: share("kept") };
  }).filter((row) => row.right.mean >= 0 && row.kept.mean >= 0);
}

const percent = (share, digits = 1) => (100 * share).toFixed(digits) + " %";

function drawFrontier(svg, { measured, dots, trail, corner, pick }) {
  const WIDTH = 640, HEIGHT = 420, LEFT = 78, BOTTOM = 48, TOP = 12, RIGHT = 26, low = corner ? 0.8 : 0;
  const x = (share) => LEFT + ((share - low) / (1 - low)) * (WIDTH - LEFT - RIGHT), y = (share) => HEIGHT - BOTTOM - ((share - low) / (1 - low)) * (HEIGHT - BOTTOM - TOP);
  const element = (tag, properties, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(properties)) typeof value === "function" ? made.addEventListener(name, value) : made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const said = (row) => `${row.chain}: ${percent(row.right.mean)} true, ${percent(row.kept.mean)} kept`;
  const inside = (row) => row.kept.mean >= low && row.right.mean >= low;
  const points = (rows) => rows.filter(inside).map((row) => x(row.kept.mean).toFixed(1) + "," + y(row.right.mean).toFixed(1)).join(" ");
  const ticks = [0, 1, 2, 3, 4, 5].map((i) => low + (i / 5) * (1 - low));
  const cross = (row) => [["kept", "right"], ["right", "kept"]].map(([along, other]) => {
    const ends = [row[along].low, row[along].high].map((share) => Math.max(low, share)), at = row[other].mean;
    return along === "kept" ? element("line", { x1: x(ends[0]), x2: x(ends[1]), y1: y(at), y2: y(at) }) : element("line", { y1: y(ends[0]), y2: y(ends[1]), x1: x(at), x2: x(at) });
  });
  const families = [...new Set(measured.filter((row) => row.alone).map((row) => row.stage))].map((stage) => measured.filter((row) => row.alone && row.stage === stage).sort((a, b) => a.kept.mean - b.kept.mean || b.right.mean - a.right.mean));
  const own = (row) => element("g", { class: "lab-dot lab-" + row.label + (row.whole ? "" : " lab-partial") }, element("title", {}, said(row)), ...cross(row), element("circle", { cx: x(row.kept.mean), cy: y(row.right.mean), r: 9 }), element("text", { x: x(row.kept.mean), y: y(row.right.mean) + 4.5, "text-anchor": "middle" }, row.label));

  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.replaceChildren(
    ...ticks.flatMap((at) => [
      element("line", { class: "lab-grid", x1: x(at), x2: x(at), y1: y(low), y2: y(1) }), element("line", { class: "lab-grid", x1: x(low), x2: x(1), y1: y(at), y2: y(at) }),
      element("text", { x: x(at), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, percent(at, 0)), element("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, percent(at, 0))]),
    element("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, "true stories that the chain can still tell (kept)"),
    element("text", { transform: `translate(14 ${(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)`, "text-anchor": "middle" }, "told stories that are true"),
    ...families.filter((rows) => rows.length > 2).map((rows) => element("polyline", { class: "lab-curve", points: points(rows), style: "stroke: " + colorOf(rows[0].stage) })),
    ...measured.filter(inside).map((row) => element("circle", { class: "lab-measured", cx: x(row.kept.mean), cy: y(row.right.mean), r: 4, style: "fill: " + colorOf(row.alone ? row.stage : ""), click: () => pick(row.chain) }, element("title", {}, said(row)))),
    element("polyline", { class: "lab-trail", points: points(trail) }), ...trail.filter(inside).map((row) => element("circle", { class: "lab-step", cx: x(row.kept.mean), cy: y(row.right.mean), r: 4 }, element("title", {}, said(row)))),
    ...dots.filter(inside).map(own));
  return { outside: dots.filter((row) => !inside(row)), named: families.filter((rows) => rows.length > 2).map((rows) => rows[0].stage) };
}
