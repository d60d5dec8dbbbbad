/* tour.js - a guided tour of the explorer: ten stops, each a state of it, what to look at, and two or three sentences.
 *
 *     const tour = openTour({ root, state, read, hat });      read() evaluates and draws the state
 *     tour.panel, tour.button                                 elements of the page
 *     tour.mark()                                             frame what the stop is about, after a drawing
 *
 * Keys: n and p go to the next and the previous stop, Escape ends the tour.  The stop is in the page's address. */
function openTour({ root, state, read, hat }) {
  const WORD = "Once upon a time there was a", PLAIN = { acts: ["", ""], patch: "", compare: false, chain: "min_p:0.05,temp:0.8", seed: 1, steps: 0, at: -1, layer: 2, head: 1 };
  const section = (title) => () => [...root.querySelectorAll(".ex-side > section")].find((part) => part.querySelector("h3").textContent.startsWith(title));
  const kept = (name) => () => root.querySelector(`[data-keep="0${name}"]`);

  /* Each stop: its title, what differs from PLAIN, what is framed, its sentences.  tests/moving.mjs checks the numbers. */
  const stops = [
    ["A text is a row of tokens", {}, [section("Tokens")], "The story stops just before a name: who lost the hat? The model does not read letters but 88 tokens, most of them words with the space before them; drawer takes three. Everything below happens to the framed token, the last one."],
    ["A square is a head", { layer: 0, head: 6 }, [section("Layer 0")], "Three layers with eight attention heads each. A square has a row for each token and a column for each token that it may attend to: never a later one, so the upper right half is empty. Head 0.6 is selected."],
    ["The first hop", { at: 12, layer: 0, head: 6 }, [kept("t12"), kept("t11")], "We have moved to token 12, the full stop after Daisy. Head 0.6 takes 0.83 of its attention from the name: the full stop now carries a note of whom the sentence was about."],
    ["The second hop", {}, [kept("t87"), kept("t12")], "Back at the end of the text, two layers later. Head 2.1 has to find the owner, and it looks at that full stop with 0.999 of its attention: at the note, not at the name."],
    ["A prediction takes shape", {}, [section("Residual stream")], "The stream of the last token, part by part, and what the model would predict if it ended there. Up to layer 1 that is the word said itself. After the attention of layer 2 it is Daisy, with 0.930; the last feed-forward network makes it 1.000."],
    ["Without the head that fetches", { acts: ["head:2.1=0", ""] }, [kept("m2.1"), section("Residual stream")], "Head 2.1 is silenced: its output is multiplied by 0. The name falls from 1.000 to 0.100, and other names come up. The model still knows that a name is wanted, but no longer which."],
    ["Where two do the same work", { acts: ["head:0.6=0", ""], layer: 0, head: 7 }, [kept("m0.6"), section("Residual stream")], "Silence head 0.6, which wrote the note, and Daisy stays at 0.999: head 0.7 writes it, too. Silencing a head shows what the others cannot do without it, not what it does."],
    ["A layer that is not needed here", { acts: ["layer:1=0", ""] }, [section("Layer 1"), section("Residual stream")], "Now all of layer 1 is silent, a third of the blocks, and Daisy has 0.977. The stream carries what layer 0 wrote past it. Other words of the story would suffer more."],
    ["What is kept", { at: 66 }, [section("KV cache")], "Keys and values of all tokens read so far stay in the KV cache, in pages of 64 positions: at token 66 the second page has begun. The next token computes only its own, and looks at these."],
    ["One token is drawn", { prompt: WORD, chain: "top_p:0.9,temp:0.8" }, [section("Sampler chain")], "Another text, with many good continuations. Each stage of the chain leaves fewer candidates or changes their odds; the framed one is drawn. Press Step to write it, and Play for a whole story.",
      ["Which head would you silence to make he and she change places? Try all eight of layer 2 on a story.", "At which token of the first text does the model learn that a puppy will be named? Go there with the arrow keys.", "What does heat:0.3 in Interventions do to the squares, and what does heat:3 do?", "Set the chain to greedy and press Play twice after Reset model. Why is the story the same?"]],
  ];

  const title = document.createElement("b"), says = make("p", {}), questions = make("ol", {}), where = make("span", {});
  const button = (text, act) => make("button", { type: "button", class: "md-button", click: act }, text);
  const before = button("Previous", () => go(state.tour - 1)), after = button("Next", () => go(state.tour + 1));
  const panel = make("aside", { class: "ex-tour", "aria-label": "guided tour", "aria-live": "polite" }, make("div", {}, where, title), says, questions, make("div", { class: "ex-row" }, before, after, button("End the tour", end)));
  const start = button("Guided tour: ten stops", () => go(1));
  let framed = [];

  function tell() {
    panel.hidden = !state.tour, start.hidden = state.tour > 0;
    if (!state.tour) return;
    const [name, , , words, asks = []] = stops[state.tour - 1];
    where.textContent = `${state.tour} of ${stops.length} `, title.textContent = name, says.textContent = words;
    questions.replaceChildren(...asks.map((ask) => make("li", {}, ask))), questions.hidden = !asks.length;
    before.disabled = state.tour === 1, after.disabled = state.tour === stops.length;
  }
  function go(number) {
    if (number < 1 || number > stops.length) return;
    const { prompt = hat, ...own } = stops[number - 1][1];
    Object.assign(state, PLAIN, own, { prompts: [prompt, prompt], acts: [...(own.acts ?? PLAIN.acts)], tour: number });
    tell(), read();
    framed[0]?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    (after.disabled ? before : after).focus({ preventScroll: true });
  }
  function end() { state.tour = 0, tell(), read(), start.focus(); }
  function mark() {
    framed.forEach((element) => element.classList.remove("ex-look"));
    framed = state.tour ? stops[state.tour - 1][2].map((find) => find()).filter(Boolean) : [];
    framed.forEach((element) => element.classList.add("ex-look"));
  }
  addEventListener("keydown", (event) => {
    if (!state.tour || /^(TEXTAREA|INPUT|SELECT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { n: () => go(state.tour + 1), p: () => go(state.tour - 1), Escape: end };
    if (keys[event.key]) keys[event.key](), event.preventDefault();
  });
  state.tour = Math.min(state.tour, stops.length), tell();
  return { panel, button: start, mark, go, count: stops.length };
}
