// chrome.mjs - a headless chromium without a network, driven through two pipes by the DevTools protocol.
//
//     const chrome = await openChrome("chromium"), page = await chrome.page({ width: 390, dark: true });
//     await page.go("file:///..."); await page.ask("document.title"); page.troubles; await chrome.close();
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe"];

export async function openChrome(browser) {
  const folder = mkdtempSync(join(tmpdir(), "strata-browser-")), waiting = new Map(), heard = new Map();
  const chrome = spawn(browser, [...OPTIONS, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--user-data-dir=" + folder, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  let number = 0, left = "";
  chrome.on("error", (problem) => { console.error(`${browser}: ${problem.message}`); process.exit(1); });
  chrome.stdio[4].on("data", (bytes) => {
    const messages = (left + bytes).split("\0");
    left = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      if (message.id) waiting.get(message.id)?.(message), waiting.delete(message.id);
      else heard.get(message.sessionId)?.(message);
    }
  });
  const send = (method, params = {}, sessionId) => new Promise((done, fail) => {
    waiting.set(++number, (message) => (message.error ? fail(new Error(method + ": " + message.error.message)) : done(message.result)));
    chrome.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId }) + "\0");
  });

  return {
    folder,
    async page({ width = 1200, dark = false } = {}) {
      const { targetId } = await send("Target.createTarget", { url: "about:blank" }), { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
      const tell = (method, params) => send(method, params, sessionId), troubles = [];
      let loaded = () => {};
      heard.set(sessionId, ({ method, params }) => {
        if (method === "Page.loadEventFired") loaded();
        if (method === "Runtime.exceptionThrown") troubles.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        if (method === "Runtime.consoleAPICalled" && params.type === "error") troubles.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
        if (method === "Log.entryAdded" && params.entry.level === "error") troubles.push(`${params.entry.text} ${params.entry.url ?? ""}`);
      });
      for (const domain of ["Page", "Runtime", "Log"]) await tell(domain + ".enable");
      const size = (width) => tell("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 });
      const scheme = (dark) => tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
      await size(width), await scheme(dark);
      if (width < 500) await tell("Emulation.setTouchEmulationEnabled", { enabled: true });

      const ask = async (expression) => {
        const answer = await tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        if (answer.exceptionDetails) throw new Error(expression + ": " + JSON.stringify(answer.exceptionDetails));
        return answer.result.value;
      };
      return {
        troubles, size, scheme, ask,
        still: () => tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] }),
        paper: () => tell("Emulation.setEmulatedMedia", { media: "print" }),
        async go(address) {
          const there = new Promise((done) => (loaded = done));
          await tell("Page.navigate", { url: address });
          await there;
        },
        async until(expression, minutes = 1) {
          for (let i = 0; i < 600 * minutes; i++) {
            if (await ask(expression)) return;
            await new Promise((next) => setTimeout(next, 100));
          }
          throw new Error((minutes === 1 ? "a minute" : minutes + " minutes") + " went by without: " + expression);
        },
        async key(key, code, text) {
          for (const type of ["keyDown", "keyUp"]) await tell("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: code, text });
        },
        async picture(path) {
          const { data } = await tell("Page.captureScreenshot", { captureBeyondViewport: true, clip: { x: 0, y: 0, ...(await ask("({width: innerWidth, height: document.documentElement.scrollHeight, scale: 1})")) } });
          writeFileSync(path, Buffer.from(data, "base64"));
        },
        close: () => send("Target.closeTarget", { targetId }),
      };
    },
    async close() {
      await send("Browser.close").catch(() => {});
      await new Promise((next) => chrome.once("exit", next));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}
