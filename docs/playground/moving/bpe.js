/* bpe.js - a text as bytes, and merge by merge as tokens. */
moving("bpe", (pen, rows, [asked]) => {
  const pieces = rows.filter((row) => row.what === "piece"), find = (what) => +rows.find((row) => row.what === what).number, last = find("last"), merges = Math.min(asked, last), made = pieces.find((row) => row.number === "1");
  const end = pen.chips(pieces.map((row, i) => ({ text: row.text.replace(/^ /, "␣"), kind: "mv-orange", share: +row.number, gap: i > 0 && pieces[i - 1].word !== row.word })), 44, 1.5);
  pen.text(0, 20, `${pieces.length} pieces after ${merges} of ${last} merges`);
  const y = Math.max(end + 20, 220), x = (piece) => (pen.width * piece) / last;
  pen.rect(0, y, pen.width, 10, "mv-axis"), pen.rect(0, y, last ? x(merges) : 0, 10, "mv-orange");
  pen.text(0, y + 28, "bytes"), pen.text(pen.width, y + 28, `${find("tokens")} tokens`, "mv-end");
  pen.grow(y + 40);
  const what = made ? `Merge ${merges}: of all pairs in the word, the one with the lowest rank, ${find("rank")}, becomes “${made.text.replace(/^ /, "␣")}”.` : "Words are split first; each begins as bytes.";
  return { high: last, says: merges === last && last ? `${what} No pair is left that has a rank: ${find("tokens")} tokens.` : what };
});
