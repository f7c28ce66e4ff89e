// The study builder: saves by itself, undoes, fills sentences in, opens the chosen block, moves
// entries by dragging or with Alt and the arrow keys. Without it the form has a button for each.
(() => {
  const form = document.getElementById("editing");
  if (!form || form.querySelector("fieldset[disabled]")) return;
  const saved = document.getElementById("saved"), undo = document.getElementById("undo");
  const said = form.dataset;  // sentences, in the language of the page
  const place = `howgood-undo:${location.pathname}`, most = 40;
  const study = location.pathname.split("/edit/")[0], seen = `howgood-edition:${study}`;
  const know = (edition) => { try { sessionStorage.setItem(seen, edition); } catch { sessionStorage.clear(); } };
  const own = new Set(["csrf", "edition"]);
  const entries = () => [...new FormData(form)].filter(([name, value]) =>
    typeof value === "string" && !own.has(name) && !name.startsWith("paste."));
  const stack = () => JSON.parse(sessionStorage.getItem(place) || "[]");
  const push = (state) => {
    const all = [...stack(), state].slice(-most);
    try { sessionStorage.setItem(place, JSON.stringify(all)); } catch { sessionStorage.clear(); }
    undo.hidden = false;
  };
  let state = JSON.stringify(entries()), at = 0, wrong = "", timer = 0, sending = null, left = false;
  // What somebody else saved, or another tab, is not for this tab to undo.
  const shown = form.elements.edition.value, asked = new URLSearchParams(location.search);
  if (form.dataset.conflict || ![sessionStorage.getItem(seen), asked.get("saved"),
                                 asked.get("edition")].includes(shown)) {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(`howgood-undo:${study}/`)) sessionStorage.removeItem(key);
    }
  }
  know(shown);

  const tell = () => {
    saved.classList.toggle("wrong", Boolean(wrong));
    if (wrong) saved.textContent = wrong;
    else if (at) {
      const seconds = Math.round((Date.now() - at) / 1000);
      saved.textContent = seconds < 60 ? said.textSeconds.replace("{n}", seconds)
        : said.textMinutes.replace("{n}", Math.round(seconds / 60));
    }
  };
  const send = async (pairs) => {
    const body = new FormData();
    body.append("csrf", form.elements.csrf.value);
    body.append("edition", form.elements.edition.value);
    for (const [name, value] of pairs) body.append(name, value);
    // Buttons are called "action" too, which is what form.action would be.
    // A small form is sent on after its page has been left.
    const keepalive = JSON.stringify(pairs).length < 20000;
    const answer = await fetch(form.getAttribute("action"), {method: "POST", body, keepalive,
      headers: {"X-Howgood-Autosave": "yes"}, redirect: "manual"});
    if (answer.ok) {
      form.elements.edition.value = (await answer.json()).edition;
      know(form.elements.edition.value);
      at = Date.now();
      wrong = "";
      return true;
    }
    wrong = answer.status === 401 ? said.textOut : answer.status === 409 ? said.textTab
      : said.textUnsaved;
    return false;
  };
  const save = async () => {
    clearTimeout(timer);
    while (sending) await sending;
    const pairs = entries(), now = JSON.stringify(pairs);
    if (now === state) return;
    const before = state;
    sending = send(pairs).catch(() => { wrong = said.textOffline; return false; });
    if (await sending) {
      push(before);
      state = now;
    }
    sending = null;
    tell();
  };
  form.addEventListener("input", (event) => {
    if (event.target.type === "file" || event.target.name.startsWith("paste.")) return;
    clearTimeout(timer);
    timer = setTimeout(save, 1500);
  });
  form.addEventListener("change", (event) => {
    // Another type of question has other fields: the server draws them.
    if (/\.type$/.test(event.target.name)) form.requestSubmit();
    else if (event.target.type !== "file" && !event.target.name.startsWith("paste.")) save();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && !left) save();
  });
  for (const other of document.forms) {  // what acts on the draft acts on all of it
    if (other !== form) other.addEventListener("submit", async (event) => {
      if (other.dataset.flushed || (!sending && JSON.stringify(entries()) === state)) return;
      event.preventDefault();
      await save();
      other.dataset.flushed = "yes";
      other.requestSubmit(event.submitter);
    });
  }
  form.addEventListener("submit", async (event) => {
    clearTimeout(timer);
    if (sending) {  // a save under way gives the form its next edition: wait for it
      event.preventDefault();
      await sending;
      setTimeout(() => form.requestSubmit(event.submitter), 0);
    } else {
      left = true;
      if (JSON.stringify(entries()) !== state || event.submitter?.name === "action"
          || form.querySelector("input[name='action']")) push(state);
    }
  });
  undo.addEventListener("click", async () => {
    await save();  // what was typed just now is undone first
    const all = stack(), last = all.pop();
    if (!last) return;
    if (await send(JSON.parse(last))) {
      sessionStorage.setItem(place, JSON.stringify(all));
      location.reload();
    } else tell();
  });
  undo.hidden = !stack().length;
  if (asked.has("saved")) at = Date.now();
  setInterval(tell, 1000);
  tell();

  // Sentences with their blanks filled in, while they are typed.
  const counts = {happened: 10, found: 8, missed: 2, false_alarm: 3, cleared: 17};
  const fill = (area) => {
    const key = area.name.split(".").pop(), n = counts[key] ?? 8;
    const named = form.elements[area.name.replace(/phrases\..*/, "name")];
    const words = area.value.replace(/\{n\}/g, n).replace(/\{real\}/g, 10)
      .replace(/\{system\}/g, () => (named ? named.value : said.textSystem))
      .replace(/\{([^{}|]*)\|([^{}]*)\}/g, (_, one, many) => (n === 1 ? one : many));
    const line = area.parentElement.querySelector(".filled");
    line.textContent = words;
    line.hidden = !words;
  };
  for (const area of form.querySelectorAll("[data-phrase]")) {
    fill(area);
    area.addEventListener("input", () => fill(area));
  }

  // Texts of the page that people see are edited where they stand: what is typed there goes into
  // the field it came from when the text is left, and from there it is saved and drawn again.
  const glance = document.getElementById("glance");
  const plain = (text) => text.trim().replace(/\s+/g, " ");
  const sources = () => {
    const known = new Map();
    for (const area of form.querySelectorAll("textarea[name], input[type='text'][name]")) {
      if (area.name.startsWith("paste.") || /[{}]/.test(area.value)) continue;
      for (const part of area.value.split(/\n\s*\n/)) {
        const text = plain(part);
        // A text that stands in two fields could be either's.
        if (text) known.set(text, known.has(text) ? null : {area, part});
      }
    }
    return known;
  };
  const inPlace = () => {
    const known = sources();
    for (const screen of glance.querySelectorAll(".screen")) {
      screen.inert = false;
      for (const control of screen.querySelectorAll("a, button, details, fieldset, input, select, textarea, label")) {
        control.inert = true;
      }
      for (const node of screen.querySelectorAll("p, h2, h3, li, .h1")) {
        const source = node.children.length ? null : known.get(plain(node.textContent));
        if (!source) continue;
        node.contentEditable = "plaintext-only";
        node.classList.add("in-place");
        node.setAttribute("role", "textbox");
        node.setAttribute("aria-label", said.textEdit);
        node.addEventListener("keydown", (event) => {
          if (event.key === "Escape") { node.textContent = source.part; node.blur(); }
          if (event.key === "Enter" && source.area.tagName === "INPUT") {
            event.preventDefault();
            node.blur();
          }
        });
        node.addEventListener("blur", () => {
          const text = node.innerText.trim();
          if (plain(text) === plain(source.part)) return;
          source.area.value = source.area.value.replace(source.part, () => text);
          source.part = text;
          source.area.dispatchEvent(new Event("input", {bubbles: true}));
        });
      }
    }
  };
  glance?.addEventListener("htmx:afterSwap", inPlace);

  // The block that an address or the outline names is open.
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const block = target && target.closest("details.block");
    if (block) block.open = true;
    if (target) target.scrollIntoView({block: "nearest"});
  };
  addEventListener("hashchange", open);
  open();
  // On a telephone the parts of a study are one row that scrolls: the part shown is in view.
  document.querySelector(".outline [aria-current]")?.scrollIntoView({block: "nearest"});

  // Order: drag an entry of the outline, or Alt and an arrow key on it.
  const move = (name, to) => {
    const action = document.createElement("input");
    action.type = "hidden";
    action.name = "action";
    action.value = `to:${name}:${to}`;
    form.append(action);
    sessionStorage.setItem("howgood-moved", `${split(name)[0]}.${to}`);
    form.requestSubmit();
  };
  const split = (name) => [name.slice(0, name.lastIndexOf(".")),
                           Number(name.slice(name.lastIndexOf(".") + 1))];
  let dragged = "";
  for (const link of document.querySelectorAll(".outline [data-entry]")) {
    const name = link.dataset.entry, [list, index] = split(name);
    link.draggable = true;
    link.addEventListener("dragstart", () => { dragged = name; });
    link.addEventListener("dragover", (event) => {
      if (split(dragged)[0] === list) event.preventDefault();
    });
    link.addEventListener("drop", (event) => {
      event.preventDefault();
      if (dragged !== name) move(dragged, index);
    });
    link.addEventListener("keydown", (event) => {
      const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
      if (event.altKey && step && index + step >= 0) {
        event.preventDefault();
        move(name, index + step);
      }
    });
    link.title = said.textMove;
    // Once the page has scrolled to the entry, which takes the focus away.
    if (sessionStorage.getItem("howgood-moved") === name) {
      addEventListener("load", () => setTimeout(() => link.focus(), 0));
    }
  }
  sessionStorage.removeItem("howgood-moved");

  // How wide the page is that participants see.
  const buttons = [...document.querySelectorAll("[data-device]")];
  const show = (device) => {
    glance.className = device;
    for (const button of buttons) {
      button.hidden = false;
      button.setAttribute("aria-pressed", String(button.dataset.device === device));
    }
  };
  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.device));
  document.querySelector(".in-scripts").hidden = false;
  show("phone");
})();
