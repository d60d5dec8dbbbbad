/* chain.js - the likeliest tokens, and what each stage of a chain leaves of them. */
moving("chain", (pen, rows, [stage, , seed]) => {
  const left = rows.filter((row) => row.sample === "left"), trace = rows.filter((row) => row.sample === "0"), chosen = rows.find((row) => row.sample === "chosen").token;
  const first = trace.filter((row) => row.place === "0"), here = new Map(trace.filter((row) => +row.place === stage).map((row) => [row.token, row]));
  const wide = pen.width / left.length, word = (row) => `“${pen.word(row.text)}”`;
  left.forEach((row, i) => {
    pen.rect(i * wide, 2, wide - 4, 34, "mv-chip" + (i === stage ? " mv-at" : ""));
    pen.text(i * wide + wide / 2 - 2, 16, row.stage, "mv-mid" + (i === stage ? " mv-bold" : "")), pen.text(i * wide + wide / 2 - 2, 31, row.rank, "mv-mid");
  });
  const x = 86, room = pen.width - x - 50, most = Math.max(...trace.map((row) => +row.prob));
  first.forEach((row, i) => {
    const now = here.get(row.token), kept = now && now.kept === "1", y = 46 + i * 21, long = kept ? (room * now.prob) / most : 0;
    pen.text(0, y + 13, pen.word(row.text), "mv-word" + (kept ? "" : " mv-pale"));
    pen.rect(x, y, long, 16, row.token === chosen && stage === left.length - 1 ? "mv-red" : "mv-blue");
    pen.text(x + long + 6, y + 13, kept ? pen.number(now.prob) : "removed", kept ? "" : "mv-pale");
  });
  const drawn = trace.find((row) => row.token === chosen);
  return { high: left.length - 1, says: `After ${left[stage].stage}: ${left[stage].rank} of ${left[0].rank} tokens are left.` + (stage === left.length - 1 ? ` With seed ${seed}, ${drawn ? word(drawn) : "token " + chosen} is drawn (red).` : "") };
});
