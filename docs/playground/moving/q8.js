/* q8.js - a block of 32 weights as bytes with one scale; the first weight grows. */
moving("q8", (pen, rows) => {
  const weights = rows.filter((row) => row.what === "weight"), scale = rows.find((row) => row.what === "scale").weight, dot = rows.find((row) => row.what === "dot"), step = pen.width / weights.length;
  pen.text(0, 14, "the weights (bars), and what Q8_0 keeps (lines)"), pen.line(0, 90, pen.width, 90, "mv-edge");
  weights.forEach((row, i) => {
    const x = i * step + 1, y = 90 - 26 * Math.max(-2.6, Math.min(2.6, row.back)), title = `weight ${i}: ${row.weight}, quant ${row.quant}, back ${row.back}`;
    pen.bar(x, 90, step - 3, 26 * row.weight, 68, "mv-blue", title), pen.line(x - 1, y, x + step - 2, y, "mv-ink");
    pen.bar(x, 232, step - 3, 480 * row.error, 48, "mv-red", `error ${row.error}`);
  });
  pen.text(0, 176, "the errors, 18 times as tall"), pen.line(0, 232, pen.width, 232, "mv-edge");
  pen.text(0, 297, `dot product with a vector: ${pen.number(dot.weight, 4)}, in Q8_0 ${pen.number(dot.back, 4)}`);
  return { says: `First weight ${pen.number(weights[0].weight, 2)}, quant ${pen.number(weights[0].quant, 0)}; one step is ${pen.number(scale, 4)}, so an error may be half of it. ${weights.filter((row) => row.quant === "0").length} of the 32 quants are 0.` };
});
