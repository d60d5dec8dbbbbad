/* attention.js - where a head of the storyteller looks. */
moving("attention", (pen, rows, [token, layer, head]) => {
  const words = rows.filter((row) => row.what === "token"), next = rows.find((row) => row.what === "next"), last = +rows[0].share, at = Math.min(token, last);
  const best = words.reduce((most, row, i) => (+row.share > +words[most].share ? i : most), 0), name = (row) => `“${pen.word(row.text)}”`;
  const y = pen.chips(words.map((row, i) => ({ text: pen.word(row.text), kind: "mv-red", share: row.share, at: i === at, pale: row.share === "", go: i, title: row.share === "" ? "a later token: masked" : `token ${i}: ${pen.number(row.share)}` })), 4);
  const bars = [...words].sort((a, b) => b.share - a.share).slice(0, 3).map((row) => [`looks at ${name(row)}`, row.share, "mv-red"]), left = 150, wide = pen.width - left - 52, below = Math.max(y + 12, 190);
  [...bars, [`next word: ${name(next)}`, next.share, "mv-blue"]].forEach(([what, share, kind], i) => {
    pen.text(0, below + i * 26 + 14, what), pen.rect(left, below + i * 26, wide, 18, "mv-axis");
    pen.rect(left, below + i * 26, wide * share, 18, kind), pen.text(left + wide * share + 6, below + i * 26 + 14, pen.number(share), "mv-bold");
  });
  pen.grow(below + 110);
  return { high: last, says: `Head ${layer}.${head} at token ${at}, ${name(words[at])}: ${pen.number(words[best].share)} of its attention is on token ${best}, ${name(words[best])}. Click a token to see where it looks.` };
});
