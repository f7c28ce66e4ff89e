// Keeps how often each logged part of the page was opened, and for how many seconds, in a hidden
// field. Without this script nothing is known, and nobody notices.
"use strict";
for (const part of document.querySelectorAll("details[data-views]")) {
  const field = document.getElementById(part.dataset.views);
  let times = 0, seconds = 0, since = null;
  const keep = () => {
    const open = since === null ? 0 : (performance.now() - since) / 1000;
    field.value = `${times} ${(seconds + open).toFixed(1)}`;
  };
  part.addEventListener("toggle", () => {
    if (part.open) {
      times += 1;
      since = performance.now();
    } else if (since !== null) {
      seconds += (performance.now() - since) / 1000;
      since = null;
    }
    keep();
  });
  keep();
  field.form.addEventListener("submit", keep);
}
