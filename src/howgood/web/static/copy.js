// Copy buttons, which are hidden where there are no scripts.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    const before = button.dataset.before ?? button.textContent;
    button.dataset.before = before;
    button.textContent = document.body.dataset.textCopied;
    setTimeout(() => { button.textContent = before; }, 2000);
  });
}
