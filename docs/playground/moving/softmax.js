/* softmax.js - scores, divided by a temperature, become probabilities. */
moving("softmax", (pen, rows, [temperature]) => {
  const left = 118, wide = pen.width - left - 52, tall = 52;
  pen.text(0, 14, "score / temperature"), pen.text(left, 14, "probability");
  rows.forEach((row, i) => {
    const y = 28 + i * (tall + 2);
    pen.text(0, y + 24, `${pen.number(row.score, 0)} / ${temperature} = ${pen.number(row.scaled, 2)}`);
    pen.rect(left, y, wide, tall - 8, "mv-axis");
    pen.rect(left, y, wide * row.probability, tall - 8, "mv-blue");
    pen.text(left + wide * row.probability + 6, y + 24, pen.number(row.probability), "mv-bold");
  });
  return { says: `Temperature ${temperature}: the best score has a probability of ${pen.number(rows[0].probability)}, the worst ${pen.number(rows[4].probability, 4)}.` };
});
