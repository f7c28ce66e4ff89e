// Keeps how often each logged part of the page was opened, and for how many seconds, in a hidden
// field. Without this script nothing is known, and nobody notices.
"use strict";
for (const part of document.querySelectorAll("details[data-views]")) {
  const field = document.getElementById(part.dataset.views);
  let times = 0, seconds = 0, since = null;
  // Asks the part itself: a browser may announce "toggle" later than a quick person submits.
  const keep = () => {
    const now = performance.now();
    if (part.open && since === null) {
      times += 1;
      since = now;
    } else if (!part.open && since !== null) {
      seconds += (now - since) / 1000;
      since = null;
    }
    const open = since === null ? 0 : (now - since) / 1000;
    field.value = `${times} ${(seconds + open).toFixed(1)}`;
  };
  part.addEventListener("toggle", keep);
  keep();
  field.form.addEventListener("submit", keep);
}
