/* Search in a page that is opened from disk, where a browser fetches no files and starts no workers.  The index comes as a script
 * (search/search_index.js) when the search is first used, and the worker runs in a hidden frame.  Loaded before the theme's script.
 * Over http the index waits until the worker has answered once: the theme forgets an index that comes before, if a reader types then. */
(function () {
  var top = new URL("..", document.currentScript.src), fetched = window.fetch;
  if (location.protocol !== "file:") {
    var answered = new Promise(function (done) {
      window.Worker = class extends window.Worker {
        constructor(address) {
          super(address);
          this.addEventListener("message", done, { once: true });
        }
      };
    });
    window.fetch = function (request) {
      var all = arguments, index = /search_index\.json$/.test(request.url || request);
      return index ? answered.then(function () { return fetched.apply(window, all); }) : fetched.apply(window, all);
    };
    return;
  }

  function script(page, address) {
    return new Promise(function (done, fail) {
      var element = page.createElement("script");
      element.src = address, element.onload = done, element.onerror = fail;
      page.body.appendChild(element);
    });
  }

  function asked() {
    return new Promise(function (done) {
      if (/[?&]q=/.test(location.search)) return done();
      document.addEventListener("focusin", function (event) { if (event.target.closest("[data-md-component=search]")) done(); });
    });
  }

  window.fetch = function (request) {
    if (!/search_index\.json$/.test(request.url || request)) return fetched.apply(window, arguments);
    return asked().then(function () { return script(document, new URL("search/search_index.js", top)); }).then(function () {
      return { ok: true, status: 200, json: function () { return Promise.resolve(window.__index); } };
    });
  };

  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      var frame = document.createElement("iframe"), worker = this;
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = function (data) { worker.dispatchEvent(new MessageEvent("message", { data: data })); };
      this.ready = script(frame.contentDocument, address);
    }
    postMessage(data) {
      var inside = this.inside;
      this.ready.then(function () { inside.dispatchEvent(new MessageEvent("message", { data: data })); });
    }
    terminate() {}
  };
})();
