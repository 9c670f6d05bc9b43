// Browsers start no worker from a file. There, this one runs the script of the site's search in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.scope = new Promise((ready) => {
        frame.onload = () => this.start(frame, url, ready);
      });
      document.body.append(frame);
    }

    start(frame, url, ready) {
      const scope = frame.contentWindow;
      scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = () => ready(scope);
      frame.contentDocument.body.append(script);
    }

    postMessage(data) {
      this.scope.then((scope) => scope.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
