// Times are written in UTC by the server. Here: the browser's own time as a title, and ages kept true.
(() => {
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

  // The same steps as `age` in controlplane/templatetags/components.py.
  const age = (seconds) => {
    if (seconds < 60) return `${Math.floor(seconds)} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
    return `${Math.floor(seconds / 86400)} d`;
  };

  const title = (root) => {
    for (const element of root.querySelectorAll("time[datetime]:not([data-titled])")) {
      const moment = new Date(element.dateTime);
      if (Number.isNaN(moment.getTime())) continue;
      const zone = `${local.format(moment)} (your time)`;
      element.title = element.title ? `${element.title} = ${zone}` : zone;
      element.dataset.titled = "";
    }
  };

  const refresh = () => {
    const now = Date.now();
    for (const element of document.querySelectorAll("time[data-age]")) {
      const seconds = (now - new Date(element.dateTime).getTime()) / 1000;
      const words = age(Math.max(0, seconds));
      if (element.textContent !== words) element.textContent = words;
    }
  };

  document.addEventListener("DOMContentLoaded", () => title(document));
  document.addEventListener("htmx:load", (event) => title(event.target));
  setInterval(refresh, 10000);
})();
