// Regions that refresh themselves (data-live) wait while the person is using them, and keep what is scrolled.
(() => {
  const held = (region) => {
    const selection = document.getSelection();
    const selecting = selection && !selection.isCollapsed && region.contains(selection.anchorNode);
    const asking = region.querySelector("[popover]:popover-open, details.menu[open]");
    const typing = region.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");
    return selecting || asking || typing || document.hidden;
  };

  let scrolls = new Map();
  const remember = (region) => {
    scrolls = new Map();
    for (const box of region.querySelectorAll("[data-keep-scroll][id]")) {
      const atEnd = box.dataset.keepScroll === "end" && box.scrollHeight - box.scrollTop - box.clientHeight < 8;
      scrolls.set(box.id, atEnd ? Infinity : box.scrollTop);
    }
  };
  const toEnd = (box) => {
    box.scrollTop = box.scrollHeight;
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.matches("[data-live]") && held(event.target)) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target.matches("[data-live]")) {
      if (held(event.target)) event.detail.shouldSwap = false;
      else remember(event.target);
    }
  });
  document.addEventListener("htmx:afterSettle", () => {
    for (const [id, top] of scrolls) {
      const box = document.getElementById(id);
      if (box && top === Infinity) toEnd(box);
      else if (box) box.scrollTop = top;
    }
  });
  document.addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll('[data-keep-scroll="end"]')) toEnd(box);
  });
})();
