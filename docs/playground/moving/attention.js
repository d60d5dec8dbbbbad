/* attention.js - where a head of the storyteller looks. */
moving("attention", (pen, rows, [token, layer, head]) => {
  const words = rows.filter((row) => row.what === "token"), next = rows.find((row) => row.what === "next"), last = +rows[0].share, at = Math.min(token, last);
  const best = words.reduce((most, row, i) => (+row.share > +words[most].share ? i : most), 0), name = (row) => `“${pen.word(row.text)}”`;
  const y = pen.chips(words.map((row, i) => ({ text: pen.word(row.text), kind: "mv-red", share: row.share, at: i === at, pale: row.share === "", go: i, title: row.share === "" ? "a later token: masked" : `token ${i}: ${pen.number(row.share)}` })), 4);
  const below = Math.max(y + 14, 232), wide = pen.width - 60;
  pen.text(0, below, `the model's next word after ${name(words[at])}: ${name(next)}`);
  pen.rect(0, below + 8, wide, 16, "mv-axis"), pen.rect(0, below + 8, wide * next.share, 16, "mv-blue"), pen.text(wide * next.share + 6, below + 21, pen.number(next.share), "mv-bold");
  pen.grow(below + 34);
  return { high: last, says: `Head ${layer}.${head} at token ${at}, ${name(words[at])}: ${pen.number(words[best].share)} of its attention is on token ${best}, ${name(words[best])}. Click a token to see where it looks.` };
});
