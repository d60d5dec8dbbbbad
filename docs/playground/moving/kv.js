/* kv.js - nine pages of a KV cache, and the tables of three sequences. */
moving("kv", (pen, rows) => {
  const NAMES = ["A", "B", "C"], KINDS = ["mv-blue", "mv-orange", "mv-green"], PAGE = 64;
  const of = (what) => rows.filter((row) => row.what === what), event = rows[0], entries = of("entry"), pages = of("page");
  const wide = Math.min(70, pen.width / pages.length), tall = 96;
  pen.text(0, 14, "pages of the pool, and how many tables name each");
  pages.forEach((page, i) => {
    const owners = entries.filter((entry) => entry.page === page.number), part = (wide - 6) / Math.max(1, owners.length);
    owners.forEach((entry, k) => pen.rect(i * wide + k * part, 24 + tall * (1 - entry.count / PAGE), part, (tall * entry.count) / PAGE, KINDS[entry.sequence], `${NAMES[entry.sequence]}: ${entry.count} of ${PAGE} positions`));
    pen.rect(i * wide, 24, wide - 6, tall, "mv-edge");
    pen.text(i * wide + wide / 2 - 3, 138, "page " + page.number, "mv-mid").style.fontSize = wide < 50 ? "9px" : "";
    pen.text(i * wide + wide / 2 - 3, 154, +page.count ? page.count : "free", "mv-mid");
  });
  of("length").forEach((length, s) => {
    const y = 182 + s * 38;
    pen.rect(0, y, 12, 12, KINDS[s]), pen.text(18, y + 11, `${NAMES[s]}: ${length.count} tokens`);
    entries.filter((entry) => +entry.sequence === s).forEach((entry, i) => { pen.rect(116 + i * 30, y - 6, 26, 24, "mv-edge"), pen.text(129 + i * 30, y + 11, entry.page, "mv-mid"); });
    if (+length.count === 0) pen.text(116, y + 11, "an empty table");
  });
  return { says: event.text };
});
