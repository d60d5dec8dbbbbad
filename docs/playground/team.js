/* team.js - workers that write stories, each with a library of its own.
 *
 *     const team = await openTeam(wasm, model, 200, heard);
 *     await team.run({ chain: "min_p:0.05", seed: 1, from: 0, to: 200 });   // false: another run began, or stop()
 *
 * heard({ stories }) and heard({ document, kept }) are called as results come (strata.js, lab).  A page that comes from a disk may not load
 * a worker's script from there: the script is made from this text. */
function labWorker(post) {
  let strata, run = 0;
  const channel = new MessageChannel(), waiting = [];
  channel.port1.onmessage = () => waiting.shift()();
  const pause = () => new Promise((next) => { waiting.push(next); channel.port2.postMessage(0); }); // lets messages in; setTimeout would wait 4 ms

  async function work({ run: mine, chain, seed, from, to }) {
    strata.lab.begin(chain, seed, from, to);
    for (let left = to - from; left; ) {
      left = strata.lab.step();
      const stories = strata.lab.stories();
      if (stories.length) post({ run: mine, stories });
      await pause();
      if (run !== mine) return;
    }
    for (let document = from; document < to; document++) {
      post({ run: mine, document, kept: strata.lab.kept(document) });
      await pause();
      if (run !== mine) return;
    }
    post({ run: mine, done: true });
  }

  return async (message) => {
    try {
      if (message.wasm) {
        strata = await openStrata(message.wasm, message.model);
        strata.lab.open(message.documents);
        post({ ready: true });
      } else {
        run = message.run;
        if (message.chain) await work(message);
      }
    } catch (problem) {
      post({ run: message.run, trouble: problem.message });
    }
  };
}

/* A worker; where the browser allows none, its code runs in the page. */
function openWorker(heard) {
  try {
    const script = `${openStrata}\n${labWorker}\nconst answer = labWorker(postMessage.bind(self)); onmessage = (event) => answer(event.data);`;
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    worker.onmessage = (event) => heard(event.data);
    return (message) => worker.postMessage(message);
  } catch {
    return labWorker(heard);
  }
}

async function openTeam(wasm, model, documents, heard) {
  const size = Math.min(4, Math.max(1, navigator.hardwareConcurrency || 2)), send = [];
  let run = 0, missing = 0, settle = { resolve() {}, reject() {} };

  function hear(message) {
    if (message.run !== undefined && message.run !== run) return;
    if (message.trouble) return settle.reject(new Error(message.trouble));
    if (message.ready || message.done) return --missing || settle.resolve(true);
    heard(message);
  }
  const wait = (count) => { settle.resolve(false); missing = count; return new Promise((resolve, reject) => (settle = { resolve, reject })); };

  for (let i = 0; i < size; i++) send.push(openWorker(hear));
  const ready = wait(size);
  send.forEach((to) => to({ wasm, model, documents }));
  await ready;
  return {
    size,
    stop() { run++, settle.resolve(false), send.forEach((to) => to({ run })); },
    /* Texts from .. to - 1, an equal part for each worker. */
    run({ chain, seed, from, to }) {
      const parts = send.map((_, i) => [from, to].map((_, end) => from + Math.floor(((i + end) * (to - from)) / size)));
      run++;
      const done = wait(parts.filter(([a, b]) => b > a).length);
      parts.forEach(([a, b], i) => send[i](b > a ? { run, chain, seed, from: a, to: b } : { run }));
      return to > from ? done : Promise.resolve(true);
    },
  };
}
