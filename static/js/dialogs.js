// A question fetched into a dialog opens it; "Keep as it is" closes it. Without this file the question is a page.
(() => {
  document.addEventListener("htmx:afterSwap", (event) => {
    const dialog = event.detail.target;
    if (!dialog.matches("[data-opens]")) return;
    for (const menu of document.querySelectorAll(".popmenu:popover-open")) menu.hidePopover();
    dialog.showPopover();
    (dialog.querySelector("[autofocus]") || dialog.querySelector("button")).focus();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-closes-dialog]");
    const dialog = link && link.closest("[popover]");
    if (!dialog) return;
    event.preventDefault();
    dialog.hidePopover();
  });
})();
