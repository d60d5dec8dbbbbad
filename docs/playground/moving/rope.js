/* rope.js - pairs of a query (blue) and a key (red), rotated by their positions; their dot product by distance. */
moving("rope", (pen, rows, [key, distance]) => {
  const pairs = rows.filter((row) => row.what === "pair"), dots = rows.filter((row) => row.what === "dot"), now = rows.find((row) => row.what === "now");
  const wide = pen.width / pairs.length, r = Math.min(wide / 2 - 4, 46), long = r / 0.36; // a pair of 0.25 and 0.25 is 0.354 long
  pairs.forEach((pair, i) => {
    const x = wide * (i + 0.5), y = 56;
    pen.circle(x, y, r, "mv-axis"), pen.text(x, 122, "pair " + pair.number, "mv-mid");
    pen.line(x, y, x + long * pair.kx, y - long * pair.ky, "mv-hand-red"), pen.line(x, y, x + long * pair.qx, y - long * pair.qy, "mv-hand-blue");
  });
  const left = 28, end = pen.width - 12, x = (d) => left + ((end - left) * d) / 64, y = (dot) => 258 - 50 * dot;
  for (const dot of [0, 1, 2]) pen.line(left, y(dot), end, y(dot), "mv-axis"), pen.text(left - 6, y(dot) + 4, dot, "mv-end");
  for (const d of [0, 16, 32, 48, 64]) pen.text(x(d), 276, d, "mv-mid");
  pen.path("M" + dots.map((dot) => `${x(dot.number)} ${y(dot.qx)}`).join("L"), "mv-ink");
  pen.circle(x(now.number), y(now.qx), 5, "mv-blue");
  pen.text(left, 146, "dot product of query and key"), pen.text((left + end) / 2, 294, "distance", "mv-mid");
  return { says: `Key at position ${key} (red), query at ${key + distance} (blue): their dot product is ${pen.number(now.qx, 4)}. Move the key: all hands turn together, and the product stays.` };
});
