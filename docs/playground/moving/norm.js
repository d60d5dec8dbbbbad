/* norm.js - a word's row, made larger or smaller, before and after the first norm. */
moving("norm", (pen, rows, [power]) => {
  const numbers = rows.filter((row) => row.what === "number"), size = rows.find((row) => row.what === "size"), step = pen.width / numbers.length, unit = 20, most = 60;
  const digits = (text) => String(+(+text).toPrecision(3)).replace("-", "−");
  const panel = (zero, key, kind, title) => {
    pen.text(0, zero - most - 8, title), pen.line(0, zero, pen.width, zero, "mv-edge");
    numbers.forEach((row, i) => pen.bar(i * step + 1, zero, step - 3, unit * row[key], most, kind, row[key]));
  };
  panel(80, "row", "mv-red", `the row of “Once”, made larger: root mean square ${digits(size.row)}`);
  panel(226, "rms", "mv-blue", `after RMSNorm, on the same scale: root mean square ${digits(size.rms)}`);
  numbers.forEach((row, i) => pen.circle(i * step + step / 2 - 0.5, 226 - unit * Math.max(-3, Math.min(3, row.layer)), 2, "mv-ink"));
  pen.text(0, 297, "circles: LayerNorm; a bar with a dashed end is longer");
  return { says: `The row has a root mean square of ${digits(size.row)}; after the norm, with its gains, ${digits(size.rms)}.` + (power < -2 ? " So small a row is no match for epsilon." : "") };
});
