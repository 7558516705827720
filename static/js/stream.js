// One stream of events for a browser, not for each tab: the tab that holds the lock listens and tells the others.
(() => {
  const NAME = "control-plane-live";
  const SETTLE_MS = 250;
  const pending = new Set();
  let timer = 0;

  const regions = () => [...document.querySelectorAll("[data-live]")];
  const named = (region) => region.dataset.live.split(" ");
  const chosen = (region) => region.querySelector("input[type=checkbox]:checked");
  const busy = (region) => document.hidden || region.matches("[data-live-list]:hover") || chosen(region);

  const flush = () => {
    timer = 0;
    for (const region of regions()) {
      const wanted = pending.has("*") || named(region).some((name) => pending.has(name));
      if (wanted && busy(region)) region.dataset.liveStale = "";
      else if (wanted) window.htmx.trigger(region, "live");
    }
    pending.clear();
  };
  const want = (names) => {
    for (const name of names) pending.add(name);
    timer ||= setTimeout(flush, SETTLE_MS);
  };
  const catchUp = () => {
    for (const region of document.querySelectorAll("[data-live-stale]")) {
      if (busy(region)) continue;
      delete region.dataset.liveStale;
      window.htmx.trigger(region, "live");
    }
  };

  const line = () => document.getElementById("live-state");
  const connected = () => {
    if (line()) line().hidden = true;
  };
  const lost = (since) => {
    if (!line()) return;
    line().textContent = `Connection lost, data as of ${new Date(since).toLocaleTimeString()}`;
    line().hidden = false;
  };

  const hear = (message) => {
    if (message.kind === "event") want(message.regions);
    else if (message.kind === "sync") want(["*"]);
    else if (message.kind === "lost") lost(message.since);
    if (message.kind !== "lost") connected();
  };

  const lead = (share) =>
    new Promise(() => {
      let good = Date.now();
      let broken = false;
      const source = new EventSource(document.body.dataset.liveUrl);
      const alive = () => {
        good = Date.now();
      };
      source.addEventListener("open", () => {
        alive();
        share({ kind: broken ? "sync" : "open" });
        broken = false;
      });
      source.addEventListener("event", (event) => {
        alive();
        share({ kind: "event", regions: JSON.parse(event.data).regions });
      });
      source.addEventListener("sync", () => {
        alive();
        share({ kind: "sync" });
      });
      source.addEventListener("bye", () => source.close());
      source.addEventListener("error", () => {
        if (!broken) share({ kind: "lost", since: good });
        broken = true;
      });
    });

  document.addEventListener("DOMContentLoaded", () => {
    if (!document.body.dataset.liveUrl || !window.EventSource) return;
    const channel = window.BroadcastChannel ? new BroadcastChannel(NAME) : null;
    const share = (message) => {
      hear(message);
      channel?.postMessage(message);
    };
    channel?.addEventListener("message", (event) => hear(event.data));
    if (navigator.locks && channel) navigator.locks.request(NAME, () => lead(share));
    else lead(share);
    document.addEventListener("visibilitychange", catchUp);
    document.addEventListener("mouseout", () => setTimeout(catchUp, SETTLE_MS));
  });
})();
