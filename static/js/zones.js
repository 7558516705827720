// Times in the browser's zone. The server writes UTC; query strings stay UTC. The directives are those of controlplane/time_format.py.
(() => {
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const two = (number) => String(number).padStart(2, "0");
  const WRITE = {
    Y: (t) => String(t.getFullYear()).padStart(4, "0"),
    y: (t) => two(t.getFullYear() % 100),
    m: (t) => two(t.getMonth() + 1),
    b: (t) => MONTHS[t.getMonth()],
    d: (t) => two(t.getDate()),
    a: (t) => DAYS[t.getDay()],
    H: (t) => two(t.getHours()),
    I: (t) => two(((t.getHours() + 11) % 12) + 1),
    p: (t) => (t.getHours() < 12 ? "AM" : "PM"),
    M: (t) => two(t.getMinutes()),
    S: (t) => two(t.getSeconds()),
    L: (t) => String(t.getMilliseconds()).padStart(3, "0"),
    "%": () => "%",
  };
  const written = (moment, form) => form.replace(/%(.)/gs, (whole, letter) => (WRITE[letter] ? WRITE[letter](moment) : whole));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "your time";
  const isUtc = ["UTC", "Etc/UTC", "GMT"].includes(zone);

  const localise = (root) => {
    for (const element of root.querySelectorAll("time[data-local]")) {
      const moment = new Date(element.dateTime);
      if (!Number.isNaN(moment.getTime())) element.textContent = written(moment, element.dataset.local);
    }
    for (const element of root.querySelectorAll("[data-zone-name]")) element.textContent = zone;
  };

  // A time of day in UTC from one here, by today's offset, and back.
  const shifted = (minutes) => ((minutes % 1440) + 1440) % 1440;
  const offset = () => new Date().getTimezoneOffset();
  const minutesOf = (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  const clock = (minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  const utcClock = (minutes) => clock(shifted(minutes + offset()));
  const localClock = (text, less) => clock(shifted(minutesOf(text) - offset() - less));
  const utcInstant = (day, later) => {
    const [year, month, date] = day.split("-").map(Number);
    return `${new Date(year, month - 1, date + later).toISOString().slice(0, 16)}Z`;
  };
  const localDay = (raw, isEnd) => {
    const plain = raw.length === 10;
    const moment = new Date(plain ? `${raw}T00:00Z` : raw);
    if (isEnd) moment.setTime(moment.getTime() + (plain ? 86400000 : 0) - 1);
    return Number.isNaN(moment.getTime()) ? "" : written(moment, "%Y-%m-%d");
  };

  const TO_UTC = {
    start_date: (value) => utcInstant(value, 0),
    end_date: (value) => utcInstant(value, 1),
    start_time: (value) => `${utcClock(minutesOf(value))}-${utcClock(0)}`,
    end_time: (value) => `${utcClock(0)}-${utcClock(minutesOf(value) + 1)}`,
  };
  const TO_LOCAL = {
    start_date: (raw) => localDay(raw, false),
    end_date: (raw) => localDay(raw, true),
    start_time: (raw) => localClock(raw.slice(0, 5), 0),
    end_time: (raw) => (raw.includes("-") ? localClock(raw.split("-")[1], 1) : localClock(raw, 0)),
  };

  const show = (form) => {
    for (const field of form.querySelectorAll("[data-utc]")) {
      if (field.dataset.utc) field.value = TO_LOCAL[field.name](field.dataset.utc);
    }
  };

  document.addEventListener("formdata", (event) => {
    if (!event.target.matches("[data-utc-filters]")) return;
    for (const [name, value] of [...event.formData]) {
      if (!value) event.formData.delete(name);
      else if (TO_UTC[name] && !isUtc) event.formData.set(name, TO_UTC[name](value));
    }
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-use-zone]");
    if (!button) return;
    const field = document.getElementById(button.dataset.useZone);
    field.value = zone;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  document.addEventListener("DOMContentLoaded", () => {
    localise(document);
    if (!isUtc) for (const form of document.querySelectorAll("[data-utc-filters]")) show(form);
  });
  document.addEventListener("htmx:load", (event) => localise(event.target));
})();
