// Keys that press a button: 1 and 2 choose, 0 is no preference, u undoes. Without this script the
// buttons are pressed as any others.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const key = CSS.escape(event.key.toLowerCase());
  const button = document.querySelector(`button[accesskey="${key}"]`);
  if (button) {
    event.preventDefault();
    button.click();
  }
});
