// Rows that can be selected: one box for all of them, and how many there are. Without this file the rows' boxes still work.
(() => {
  const boxes = (form) => [...form.elements].filter((box) => box.type === "checkbox" && !box.disabled);

  const tell = () => {
    const form = document.querySelector("[data-bulk]");
    if (!form) return;
    const all = boxes(form);
    const chosen = all.filter((box) => box.checked).length;
    form.querySelector("[data-bulk-count]").textContent = String(chosen);
    const head = document.querySelector("[data-bulk-all]");
    if (head) {
      head.checked = chosen > 0 && chosen === all.length;
      head.indeterminate = chosen > 0 && chosen < all.length;
    }
  };

  document.addEventListener("change", (event) => {
    const form = document.querySelector("[data-bulk]");
    if (!form) return;
    if (event.target.matches("[data-bulk-all]")) for (const box of boxes(form)) box.checked = event.target.checked;
    if (event.target.matches("[data-bulk-all]") || event.target.form === form) tell();
  });
  document.addEventListener("DOMContentLoaded", tell);
  window.addEventListener("pageshow", tell);
  document.addEventListener("htmx:afterSettle", tell);
})();
