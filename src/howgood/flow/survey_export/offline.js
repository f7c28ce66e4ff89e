// A study in one file: the same path as on the server, kept on this device, saved as a file at the end.
// Nothing is sent anywhere: the page's own policy forbids every connection.
(() => {
  const survey = JSON.parse(document.getElementById("survey").textContent);
  const main = document.getElementById("main"), top = document.getElementById("top");
  const place = "howgood-offline-" + survey.version;
  const MOST_RADIOS = 12, MOST_IN_A_ROW = 7, ONE_LINE = 200;

  const { shuffled, walk, path, value, filled } = howgoodPath(survey);

  // --- state: everybody's answers stay on this device until they are removed --------------------
  const works = (storage) => {
    try { storage().setItem(place + "?", ""); storage().removeItem(place + "?"); return storage(); }
    catch { return null; }
  };
  const tab = works(() => sessionStorage), shelf = works(() => localStorage) || tab;
  const fresh = () => {
    const random = crypto.getRandomValues(new Uint32Array(7));
    const seat = survey.seats && survey.seats[random[6] % survey.seats.length];
    const seed = seat ? seat.seed : (random[0] % 2097152) * 4294967296 + random[1];
    const person = Array.from(random.slice(2, 6), (n) => n.toString(16).padStart(8, "0")).join("");
    const condition = shuffled(survey.conditions, seed, "condition")[0];
    return { person, seed, condition, answers: [], shownAt: new Date().toISOString(),
      isSaved: true, isKept: false, isEnded: false };
  };
  const read = (person) => {
    try { return person && JSON.parse(shelf.getItem(place + "-" + person)); } catch { return null; }
  };
  const everybody = () => Object.keys(shelf || {}).filter((key) => key.startsWith(place + "-"))
    .map((key) => read(key.slice(place.length + 1))).filter(Boolean);
  const keep = () => {
    try {
      shelf.setItem(place + "-" + state.person, JSON.stringify({ ...state, isKept: true }));
      tab.setItem(place, state.person);
      state.isKept = shelf !== tab;
    } catch { state.isKept = false; }
  };
  const forget = (person) => { try { shelf.removeItem(place + "-" + person); } catch { /* none */ } };
  const leave = () => { try { tab.removeItem(place); } catch { /* nothing was kept */ } };
  let state = (tab && read(tab.getItem(place))) || fresh();
  const saved = (isSaved) => { state.isSaved = isSaved; keep(); };

  const current = () => {
    const answered = new Set(state.answers.map((answer) => answer.screen));
    if (!answered.has("consent")) return { key: "consent", screen: survey.screens.consent };
    const way = walk(state);
    if (way.out) return { key: way.out.screen, screen: survey.screens[way.out.screen] };
    const steps = path(state, way);
    const index = steps.findIndex((step) => !answered.has(step.key));
    if (index < 0) return { key: "finished", screen: survey.screens.finished };
    const length = (some) => some.reduce((sum, step) => sum + step.advance, 1);
    const isSure = !steps.some((step) => step.isUnsure && !answered.has(step.key));
    return { ...steps[index], done: length(steps.slice(0, index)), total: length(steps),
      progress: survey.words[isSure ? "progress" : "progress_at_most"] };
  };

  // --- what is on a page ----------------------------------------------------------------------
  const make = (name, attributes = {}, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(key, "");
      else if (value !== false && value !== undefined && value !== "") {
        element.setAttribute(key, value);
      }
    }
    element.append(...inside.flat().filter((each) => each !== null && each !== undefined));
    return element;
  };
  const button = (each, about) => make("button", { name: each.name, value: each.value,
    class: each.main === false ? "quiet" : "", "aria-describedby": about, "data-key": each.key },
  each.label, each.key ? make("kbd", { "aria-hidden": "true" }, each.key) : null);
  const words = (pieces) => pieces.map(
    (each) => each.bold ? make("strong", {}, each.text) : document.createTextNode(each.text));
  const shown = (block) => {
    const src = survey.pictures[block.file];
    if (block.film) return make("video", { controls: true, src, "aria-label": block.alternative });
    if (block.sound) return make("audio", { controls: true, src, "aria-label": block.alternative });
    if (block.mock_up) {
      return make("iframe", { class: "mock-up", sandbox: "allow-scripts", src,
        title: block.alternative });
    }
    return make("img", { src, alt: block.alternative });
  };
  const blocks = {
    heading: (block) => make("h2", {}, block.text),
    paragraph: (block) => make("p", {}, words(block.words)),
    notice: (block) => make("p", { class: "notice " + (block.tone || "neutral") }, words(block.words)),
    bullets: (block) => make("ul", { class: "frequencies" }, block.entries.map((entry) => make(
      "li", {}, words(entry.words), (entry.entries || []).length
        ? make("ul", {}, entry.entries.map((inner) => make("li", {}, words(inner)))) : null))),
    pinned: (block) => make("div", { class: "pinned", role: "group", "aria-label": block.label,
      tabindex: "0" }, block.blocks.map((inner) => blocks[inner.block](inner))),
    details: (block) => make("details", { open: Boolean(block.open) },
      make("summary", {}, block.summary),
      (block.paragraphs || []).map((each) => make("p", {}, words(each.words))),
      block.grid ? blocks.grid(block.grid) : null,
      (block.drawings || []).length
        ? make("div", { class: "cards" }, block.drawings.map(blocks.drawing)) : null),
    grid: (block) => make("div", { class: "scroll", role: "group", "aria-label": block.caption,
      tabindex: "0" }, make("table", {}, make("caption", {}, block.caption),
      make("thead", {}, make("tr", {}, block.header.map((each) =>
        each ? make("th", { scope: "col" }, each) : make("td")))),
      make("tbody", {}, block.rows.map((row) => make("tr", {}, row.map((each, index) =>
        index ? make("td", {}, each) : make("th", { scope: "row" }, each))))))),
    drawing: (block) => {
      const svg = new DOMParser().parseFromString(block.svg, "text/html").querySelector("svg");
      const own = svg.getAttribute("role") === "img";
      return make("div", own ? { class: "drawing" }
        : { class: "drawing", role: "img", "aria-label": block.alternative }, svg);
    },
    cards: (block) => make("div", {},
      (block.between || []).length ? make("p", { class: "between" }, words(block.between)) : null,
      make("div", { class: "cards" }, block.cards.map((card, index) => make("section",
        { class: "card", "aria-labelledby": "card-" + (index + 1) },
        make("h2", { id: "card-" + (index + 1) }, card.title),
        card.drawing ? blocks.drawing(card.drawing) : null,
        card.text ? make("div", { class: "output" }, card.text) : null,
        card.media ? blocks.media(card.media) : null,
        (card.lines || []).length ? make("ul", { class: "lines" },
          card.lines.map((each) => make("li", {}, words(each)))) : null,
        card.button ? make("p", { class: "choose" },
          button(card.button, "card-" + (index + 1))) : null)))),
    media: (block) => make("figure", { class: "media" }, shown(block),
      block.film || block.sound
        ? make("figcaption", {}, survey.words[block.film ? "film_shows" : "sound_says"] + " " +
          block.alternative) : null,
      block.caption ? make("figcaption", {}, block.caption) : null),
    storyboard: (block) => make("ol", { class: "storyboard", "aria-label": block.label,
      tabindex: "0" }, block.steps.map((step, index) => make("li", {},
      make("p", { class: "step" }, block.names[index]), blocks.media(step)))),
  };
  const about = (field, problem) => [
    field.help ? make("p", { class: "help", id: field.name + "-help" }, field.help) : null,
    problem ? make("p", { class: "problem", id: field.name + "-problem" }, problem) : null,
  ];
  const group = (field, kind, look, sent, problem) => {
    const described = [field.help && field.name + "-help", problem && field.name + "-problem"]
      .filter(Boolean).join(" ");
    return make("fieldset", { class: "field " + look, id: "field-" + field.name,
      "aria-describedby": described }, make("legend", {}, field.label), about(field, problem),
    make("div", { class: "options" }, field.options.map((option) => {
      const input = make("input", { type: kind, name: field.name });
      input.value = option.value;
      input.checked = field.name in sent && [].concat(sent[field.name]).includes(option.value);
      const picture = option.file
        ? make("img", { src: survey.pictures[option.file], alt: option.alternative }) : null;
      return make("label", {}, input, picture, make("span", {}, option.label));
    })));
  };
  const line = (field, sent, problem) => {
    const described = [field.help && field.name + "-help", problem && field.name + "-problem"]
      .filter(Boolean).join(" ");
    const shared = { id: "input-" + field.name, name: field.name, "aria-describedby": described,
      "aria-invalid": problem ? "true" : "" };
    const longest = field.longest || 2000;
    let input;
    if (field.kind === "choice" || field.kind === "place") {
      const choose = make("option", {}, survey.words.choose);
      choose.value = "";
      input = make("select", shared, choose, field.options.map((option) => {
        const made = make("option", {}, option.label);
        made.value = option.value;
        return made;
      }));
    } else if (field.kind === "slider") {
      const first = field.minimum - (field.step || 1);
      input = make("input", { ...shared, type: "range", min: String(first),
        max: String(field.maximum), step: String(field.step || 1) });
      input.value = first;
    } else if (field.kind === "date") {
      input = make("input", { ...shared, type: "date", min: field.earliest, max: field.latest });
    } else if (field.kind === "text" && longest > ONE_LINE) {
      input = make("textarea", { ...shared, rows: "4", maxlength: longest });
    } else {
      const number = field.kind === "number" || field.kind === "share";
      input = make("input", { ...shared, type: "text", autocomplete: "off", maxlength: longest,
        inputmode: number ? (field.whole ? "numeric" : "decimal") : "",
        class: number ? "number" : "" });
    }
    if (field.name in sent) input.value = sent[field.name];
    return make("div", { class: field.group ? "field part" : "field", id: "field-" + field.name },
      make("label", { class: "name", for: "input-" + field.name }, field.label),
      about(field, problem), input,
      field.unit && field.kind !== "slider" ? make("span", { class: "unit" }, field.unit) : null,
      field.kind === "slider" ? make("p", { class: "ends", "aria-hidden": "true" },
        field.options.map((each) => make("span", {}, each.label))) : null);
  };
  const pictured = (field) => field.options.some((each) => each.file) ? "choice pictures" : "choice";
  // With the labels of its ends alone, unless the question asks for another label by name.
  const named = (label, text) => label.trim() && new RegExp(
    "(^|[^a-z0-9])" + label.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "(?![a-z0-9])", "i"
  ).test(text);
  const fitsARow = (field) => field.options.length <= MOST_IN_A_ROW && !field.options.slice(1, -1)
    .some((each) => named(each.label, field.label));
  const shownField = (field, sent, problem) => field.heading
    ? [make("h2", { class: "ask" }, field.heading), shownPart(field, sent, problem)]
    : shownPart(field, sent, problem);
  const shownPart = (field, sent, problem) => {
    if (field.kind === "likert") {
      return group(field, "radio", "scale points-" + field.options.length +
        (fitsARow(field) ? " short" : ""), sent, problem);
    }
    if (field.kind === "choices") return group(field, "checkbox", pictured(field), sent, problem);
    if (field.kind === "choice" && field.options.length <= MOST_RADIOS) {
      return group(field, "radio", pictured(field), sent, problem);
    }
    return line(field, sent, problem);
  };

  // --- what is wrong with an answer; the import checks everything again -------------------------
  const wrongNumber = (field, text) => {
    const number = Number(text.replace(",", "."));
    if (/,\d{3}$|_/.test(text) || !Number.isFinite(number)) return survey.words.problem_number;
    if (field.whole && !Number.isInteger(number)) return survey.words.problem_whole;
    const low = field.minimum ?? -Infinity, high = field.maximum ?? Infinity;
    if (number >= low && number <= high) return "";
    const key = Number.isFinite(low) && Number.isFinite(high) ? "problem_range"
      : Number.isFinite(low) ? "problem_least" : "problem_most";
    return filled(survey.words[key], { minimum: low, maximum: high });
  };
  const wrong = (field, given) => {
    const isRequired = field.required !== false;
    const texts = [].concat(given ?? []).map((each) => each.trim()).filter(Boolean);
    if (field.kind === "slider") {
      return isRequired && value(field, { [field.name]: given ?? "" }) === null
        ? survey.words.problem_slider : "";
    }
    if (field.kind === "date") {
      if (!texts.length) return isRequired ? survey.words.problem_fill : "";
      if (texts[0] < (field.earliest || "")) {
        return filled(survey.words.problem_earliest, { day: field.earliest });
      }
      return field.latest && texts[0] > field.latest
        ? filled(survey.words.problem_latest, { day: field.latest }) : "";
    }
    if (field.kind === "number" || field.kind === "share") {
      if (texts.length) return wrongNumber(field, texts[0]);
      return isRequired ? survey.words.problem_fill : "";
    }
    if (field.kind === "text") {
      const longest = field.longest || 2000;
      if (texts.join("").length > longest) return filled(survey.words.problem_long, { longest });
      return isRequired && !texts.length ? survey.words.problem_fill : "";
    }
    return isRequired && !texts.length ? survey.words.problem_required : "";
  };
  const wrongGroup = (fields, sent) => {
    const values = fields.map((each) => value(each, sent)).filter((each) => each !== null);
    if (!values.length) return "";
    if (fields[0].kind === "place") {
      return new Set(values).size < fields.length
        ? filled(survey.words.problem_places, { n: fields.length }) : "";
    }
    const sum = values.reduce((one, two) => one + two, 0), total = fields[0].total;
    return Math.abs(sum - total) > 1e-9 * Math.max(1, total)
      ? filled(survey.words.problem_sum, { sum, total }) : "";
  };
  const sentForm = (form, button) => {
    const found = {};
    for (const [name, value] of new FormData(form)) {
      found[name] = name in found ? [].concat(found[name], value) : value;
    }
    if (button && button.name) found[button.name] = button.value;
    return found;
  };

  // --- show, send, save -------------------------------------------------------------------------
  const header = (step) => {
    top.replaceChildren();
    if (survey.pilot) top.append(make("p", { class: "pilot" }, survey.words.pilot_banner));
    if (step.screen.title !== survey.title) {
      top.append(make("p", { class: "study" }, survey.title));
    }
    if (step.done) {
      const steps = step.total - 1; // the consent is done before the first of them
      const place = { done: Math.min(step.done, steps), total: steps };
      top.append(make("p", { class: "progress" },
        make("label", { for: "progress" }, filled(step.progress, place)),
        make("progress", { id: "progress", value: step.done, max: step.total })));
    }
    top.hidden = !top.children.length;
  };
  const problemBox = (fields, problems) => make("div",
    { class: "problems", role: "alert", tabindex: "-1" },
    make("h2", {}, survey.words.problems_title),
    make("ul", {}, fields.filter((each) => problems[each.name]).map((each) => make("li", {},
      make("a", { href: "#field-" + each.name }, each.label + " " + problems[each.name])))));
  const show = (step, sent = {}, problems = {}) => {
    const screen = step.screen, fields = screen.fields || [];
    const hasProblems = Object.keys(problems).length > 0;
    document.title = (hasProblems ? survey.words.problems_title + " – " : "") + screen.title;
    header(step);
    main.replaceChildren();
    if (hasProblems) main.append(problemBox(fields, problems));
    main.append(make("h1", {}, screen.title));
    const form = make("form", { class: "answering", novalidate: true, autocomplete: "off" },
      (screen.blocks || []).map((block) => blocks[block.block](block)),
      fields.flatMap((field) => shownField(field, sent, problems[field.name])),
      (screen.buttons || []).length ? make("p", { class: "buttons" },
        screen.buttons.map((each) => button(each))) : null);
    form.addEventListener("submit", (event) => send(event, step, form));
    main.append(form);
    if (isEnd(screen)) main.append(...saving());
    if (step.key === "consent") main.append(...kept());
    if (step.until) main.append(...pausing(step));
    window.scrollTo(0, 0);
    (main.querySelector(".problems") || main).focus();
  };
  const isEnd = (screen) => screen.kind === "finished" || screen.kind === "screened_out";
  const send = (event, step, form) => {
    event.preventDefault();
    const sent = sentForm(form, event.submitter), problems = {};
    for (const field of step.screen.fields || []) {
      const problem = wrong(field, sent[field.name]);
      if (problem) problems[field.name] = problem;
    }
    const grouped = (step.screen.fields || []).filter((each) => each.group);
    for (const name of new Set(grouped.map((each) => each.group))) {
      const fields = grouped.filter((each) => each.group === name);
      const problem = wrongGroup(fields, sent);
      if (problem) problems[fields[0].name] ||= problem;
    }
    if (Object.keys(problems).length) return show(step, sent, problems);
    if (step.key === "consent" && sent.consent !== "yes") {
      state = fresh();
      return show({ key: "declined", screen: survey.screens.declined });
    }
    const now = new Date().toISOString();
    // A step that was answered meanwhile in another tab is not answered twice.
    if (state.answers.some((each) => each.screen === step.key)) return show(current());
    state.answers.push(
      { screen: step.key, form: sent, shown_at: state.shownAt, answered_at: now });
    state.shownAt = now;
    const next = current();
    state.isEnded = isEnd(next.screen);
    saved(false);
    return show(next);
  };
  const answersOf = (someone) => ({ howgood: survey.format, format: 1, study: survey.study,
    version: survey.version, language: survey.language, person: someone.person,
    seed: someone.seed, condition: someone.condition, answers: someone.answers });
  const addressOf = (text) => URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const quiet = (label, act) => {
    const made = make("button", { type: "button", class: "quiet" }, label);
    made.addEventListener("click", act);
    return made;
  };
  const confirmFirst = (box, text, label, act) => box.replaceChildren(make("div",
    { class: "notice warning" }, make("p", {}, text), make("p", { class: "buttons" },
      quiet(label, act))));
  const startAgain = () => { leave(); state = fresh(); show(current()); };
  const saving = () => {
    const text = JSON.stringify(answersOf(state), null, 1), file = addressOf(text);
    const link = make("a", { class: "button", href: file,
      download: survey.study + "-" + state.person.slice(0, 8) + ".json" }, survey.words.offline_save);
    link.addEventListener("click", () => saved(true));
    const box = make("textarea", { id: "answers", rows: "6", readonly: true });
    box.value = text;
    const said = make("span", { role: "status" });
    const copy = quiet(survey.words.offline_copy, async () => {
      box.select();
      try { await navigator.clipboard.writeText(text); } catch { document.execCommand("copy"); }
      said.textContent = survey.words.offline_copied;
      saved(true);
    });
    const asked = make("div", { role: "alert" });
    const next = quiet(survey.words.offline_next, () => {
      if (state.isSaved || state.isKept) return startAgain();
      confirmFirst(asked, survey.words.offline_unsaved, survey.words.offline_discard, () => {
        forget(state.person);
        startAgain();
      });
      return link.focus();
    });
    return [make("p", { class: "buttons" }, link),
      make("div", { class: "field" },
        make("label", { class: "name", for: "answers" }, survey.words.offline_text), box,
        make("p", { class: "buttons" }, copy, said)),
      make("p", { class: "buttons" }, next), asked];
  };

  // --- several people on one device: nobody's answers are lost ----------------------------------
  const nameOf = (someone) => someone.person.slice(0, 4);
  const kept = () => {
    const others = everybody().filter((each) => each.person !== state.person);
    const ended = others.filter((each) => each.isEnded), begun = others.filter((each) => !each.isEnded);
    const unsaved = ended.filter((each) => !each.isSaved).length;
    if (!others.length) return [];
    const asked = make("div", { role: "alert" });
    const save = quiet(survey.words.offline_save_all, () => {
      const file = addressOf(JSON.stringify(ended.map(answersOf), null, 1));
      make("a", { href: file, download: survey.study + "-" + ended.length + "-people.json" }).click();
      ended.forEach((each) => shelf.setItem(place + "-" + each.person,
        JSON.stringify({ ...each, isSaved: true })));
      show(current());
    });
    const remove = quiet(survey.words.offline_remove, () => confirmFirst(asked,
      survey.words.offline_remove_ask, survey.words.offline_remove_sure, () => {
        ended.filter((each) => each.isSaved).forEach((each) => forget(each.person));
        show(current());
      }));
    return [make("details", { class: "kept", open: unsaved > 0 },
      make("summary", {}, filled(survey.words.offline_kept, { n: ended.length, unsaved })),
      ended.length ? make("p", { class: "buttons" }, save, unsaved < ended.length ? remove : null)
        : null,
      begun.map((each) => make("p", { class: "buttons" }, quiet(filled(survey.words.offline_resume,
        { code: nameOf(each), when: new Date(each.shownAt).toLocaleString(survey.language,
          { dateStyle: "short", timeStyle: "short" }) }), () => {
        state = each;
        keep();
        show(current());
      }))), asked)];
  };
  const pausing = (step) => {
    const again = () => { if (current().key !== step.key) show(current()); };
    const most = 2 ** 31 - 1;  // a longer timer would ring at once
    setTimeout(again, Math.min(Math.max(step.until - Date.now(), 0) + 500, most));
    return [make("p", { class: "help" }, filled(survey.words.offline_code, { code: nameOf(state) })),
      make("p", { class: "buttons" }, quiet(survey.words.look_again, () => show(current())),
        quiet(survey.words.offline_next, startAgain))];
  };
  window.addEventListener("beforeunload", (event) => {
    if (!state.isSaved && !state.isKept) event.preventDefault();
  });
  // Another tab may have gone on with the same person: this one follows.
  window.addEventListener("storage", (event) => {
    if (event.key !== place + "-" + state.person || !event.newValue) return;
    const newer = JSON.parse(event.newValue);
    if (newer.answers.length > state.answers.length) { state = newer; show(current()); }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const pressed = [...main.querySelectorAll("button[data-key]")]
      .find((each) => each.dataset.key === event.key.toLowerCase());
    if (pressed) { event.preventDefault(); pressed.click(); }
  });
  show(current());
})();
