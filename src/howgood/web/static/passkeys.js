// Passkeys: asks the device for a key, puts its answer into the form, and sends that.
// In: forms with data-passkey="create" or "get" and data-options. Out: the field "answer".
"use strict";

function offer(form) {
  const isNew = form.dataset.passkey === "create";
  const options = JSON.parse(form.dataset.options);
  const problem = form.querySelector("[data-problem]");
  form.addEventListener("submit", async (event) => {
    if (form.elements.answer.value) return;
    event.preventDefault();
    problem.hidden = true;
    try {
      const key = isNew
        ? await navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
          })
        : await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
          });
      form.elements.answer.value = JSON.stringify(key.toJSON());
      form.requestSubmit();
    } catch (error) {
      problem.hidden = false;
    }
  });
  form.hidden = false;
  form.classList.remove("in-time");
}

if (window.PublicKeyCredential && PublicKeyCredential.parseCreationOptionsFromJSON) {
  document.querySelectorAll("form[data-passkey]").forEach(offer);
}
