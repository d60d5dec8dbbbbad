/* home.js - the home page's story: the storyteller in the reader's browser, its tokens tinted by their surprisal, under one slider.
 * What the page shows before, and without a script, is a story that the program printed when the site was built. */
document.addEventListener("DOMContentLoaded", async () => {
  const root = document.getElementById("strata-home"), text = root?.querySelector(".ho-story");
  if (!text) return;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches, prompt = "Once upon a time";
  let strata, seed = 1, told = 0; // told: counts the stories, so that an old one stops when the next begins

  const value = make("output", { for: "home-temperature" }, "0.6");
  const slider = make("input", { id: "home-temperature", type: "range", min: 0.1, max: 2, step: 0.1, value: 0.6, input: oncePerFrame(tell) });
  const another = make("button", { type: "button", class: "first", click: () => { seed++; tell(); } }, "Another story");
  const open = make("a", { href: "playground.html" }, "Open it in the playground");

  /* Seven megabytes, which the rest of the page does not wait for. */
  const loaded = (script) => new Promise((done, fail) => document.head.append(make("script", { src: script, load: done, error: () => fail(new Error(script + " is missing")) })));

  function show(token) {
    const word = token.text.trimStart(), space = token.text.slice(0, token.text.length - word.length);
    text.append(space, make("span", { class: "told", style: `--surprisal: ${Math.min(55, 12 * token.surprisal).toFixed(0)}%` }, word));
  }

  /* Tokens until the story ends; a frame shows three. */
  async function tell() {
    const mine = ++told, chain = "temp:" + Number(slider.value);
    value.textContent = Number(slider.value).toFixed(1);
    open.href = "playground.html#" + new URLSearchParams({ chain, seed, prompt });
    strata.begin(prompt);
    strata.chain(chain, seed);
    text.setAttribute("aria-busy", "true");
    text.replaceChildren(make("span", { class: "ho-prompt" }, prompt));
    for (let tokens = 0; mine === told && tokens < 260; tokens++) {
      strata.choose();
      if (strata.ends(strata.chosen())) break;
      strata.take(strata.chosen());
      show(strata.written().at(-1));
      if (!still && tokens % 3 === 2) await new Promise((next) => setTimeout(next, 30));
    }
    if (mine === told) text.setAttribute("aria-busy", "false");
  }

  try {
    await loaded("playground/playground-data.js");
    strata = await openStrata(unpackBase64(window.strata.wasm), unpackBase64(window.strata.model));
  } catch (problem) {
    root.querySelector(".ho-row").textContent = "The storyteller did not start here: " + problem.message;
    return;
  }
  root.querySelector(".ho-row").replaceChildren(make("label", { for: "home-temperature" }, "Temperature"), slider, value, another, open);
  tell();
});
