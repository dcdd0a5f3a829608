// Browsers let a page that was opened as a file neither fetch the index of the search nor start a worker. So the index
// comes as a script, and the worker runs in a frame that is not shown.
if (location.protocol === "file:") {
  const base = new URL("..", document.currentScript.src);

  window.__search = {
    index: new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = new URL("search/search_index.js", base);
      script.onload = () => resolve(window.__index);
      document.head.append(script);
    }),
  };

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      this.ready = new Promise((resolve) => (script.onload = resolve));
      script.src = new URL(url, location.href);
      frame.contentDocument.body.append(script);
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }

    terminate() {}
  };
}
