// Colour theme: the system's unless the person chose one. Runs before the first paint.
(() => {
  const KEY = "theme";
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage refused: the system decides
    }
  };
  const apply = (choice) => {
    if (choice === "light" || choice === "dark") root.dataset.theme = choice;
    else delete root.dataset.theme;
  };
  const mark = () => {
    const current = root.dataset.theme || "system";
    for (const button of document.querySelectorAll("[data-theme-choice]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === current));
    }
  };

  root.dataset.script = "";
  apply(stored());
  document.addEventListener("DOMContentLoaded", mark);
  window.addEventListener("storage", () => {
    apply(stored());
    mark();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-choice]");
    if (!button) return;
    apply(button.dataset.themeChoice);
    try {
      localStorage.setItem(KEY, button.dataset.themeChoice);
    } catch {
      // the choice then lasts as long as the page
    }
    mark();
  });
})();
