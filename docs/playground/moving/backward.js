/* backward.js - one neuron: forward in blue, backward in red, then a step of its weights. */
moving("backward", (pen, rows) => {
  const [{ value: stage, gradient: round }, ...list] = rows, at = Object.fromEntries(list.map((row) => [row.name, row])), W = pen.width, n = (text) => pen.number(text);
  const places = { z: W * 0.46, a: W * 0.68, loss: W * 0.9 }, y = [60, 145, 230], tall = 34, half = Math.min(40, W / 11);
  const box = (x, y, title, value, gradient) => {
    pen.rect(x - half, y - tall / 2, 2 * half, tall, "mv-edge"), pen.text(x, y - tall / 2 - 6, title, "mv-mid");
    if (value !== "") pen.text(x, y + 4, value, "mv-mid mv-blue mv-bold");
    if (gradient !== "") pen.text(x, y + tall / 2 + 15, gradient, "mv-mid mv-red mv-bold");
  };
  const after = (from, text) => (+stage >= from ? n(text) : "");
  [0, 1, 2].forEach((i) => {
    const w = at["w" + i], x = at["x" + i], half_way = (half * 2 + 4 + places.z - half) / 2;
    pen.line(half * 2 + 2, y[i], places.z - half, 145, "mv-axis");
    box(half + 1, y[i], "x" + "₀₁₂"[i], n(x.value), "");
    pen.text(half_way, (y[i] + 145) / 2 - 8, "w " + n(w.value), "mv-mid mv-blue");
    if (+stage >= 5) pen.text(half_way, (y[i] + 145) / 2 + 8, n(w.gradient), "mv-mid mv-red");
  });
  pen.line(places.z + half, 145, places.a - half, 145, "mv-axis"), pen.line(places.a + half, 145, places.loss - half, 145, "mv-axis");
  box(places.z, 145, "z = w · x", after(0, at.z.value), +stage >= 4 ? n(at.z.gradient) : ""), box(places.a, 145, "a = SiLU(z)", after(1, at.a.value), +stage >= 3 ? n(at.a.gradient) : ""), box(places.loss, 145, "loss", after(2, at.loss.value), +stage >= 3 ? "1" : "");
  pen.text(0, 290, "blue: forward"), pen.text(W, 290, "red: how much the loss changes with it", "mv-end");
  const told = [`Forward: z = w · x = ${n(at.z.value)}.`, `SiLU makes ${n(at.a.value)} of it: the logit of the right answer. The wrong one has 0.`, `The loss, the surprise at the right answer, is ${n(at.loss.value)} nats.`,
    `Backward: if a grew by a little, the loss would change by ${n(at.a.gradient)} times as much.`, `Times the slope of SiLU at z: ${n(at.z.gradient)}.`, "Times each input: the gradients of the three weights.", `Every weight moves against its gradient. The loss is now ${n(at.loss.value)}.`];
  return { says: `Step ${+round + 1} of 10. ${told[stage]}` };
});
