/* train.js - the loss of a small model, step by step, as it is trained in the page. */
moving("train", (pen, rows, [steps]) => {
  const left = 28, end = pen.width - 10, x = (step) => left + ((end - left) * step) / 100, y = (loss) => 226 - 26 * loss, last = rows.at(-1), fastest = Math.max(0.03, ...rows.map((row) => +row.rate));
  for (const loss of [0, 2, 4, 6, 8]) pen.line(left, y(loss), end, y(loss), "mv-axis"), pen.text(left - 6, y(loss) + 4, loss, "mv-end");
  for (const step of [0, 25, 50, 75, 100]) pen.text(x(step), 288, step, "mv-mid");
  rows.forEach((row) => { pen.circle(x(row.step), y(row.loss), 2.2, "mv-blue"), pen.rect(x(row.step) - 1.5, 270 - (30 * row.rate) / fastest, 3, (30 * row.rate) / fastest, "mv-orange"); });
  if (rows.length > 1) pen.path("M" + rows.map((row) => `${x(row.step)} ${y(row.loss)}`).join("L"), "mv-hand-blue").style.strokeWidth = 1;
  pen.text(end, 30, "loss, nats a token", "mv-end"), pen.text(end, 246, "learning rate", "mv-end");
  return { more: rows.length < steps, says: last ? `Step ${last.step}: ${(+last.tokens).toLocaleString("en")} tokens read, a loss of ${pen.number(last.loss, 2)} nats, the learning rate at ${pen.number(last.rate, 5)}.` : "Random weights: nothing has been learned. Press play." };
});
