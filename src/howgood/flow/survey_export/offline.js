// A survey in one file: the same path as on the server, kept in this tab, saved as a file at the end.
// Nothing is sent anywhere: the page's own policy forbids every connection.
"use strict";
(() => {
  const survey = JSON.parse(document.getElementById("survey").textContent);
  const main = document.getElementById("main"), top = document.getElementById("top");
  const place = "howgood-offline-" + survey.version;
  const MOST_RADIOS = 12, MOST_IN_A_ROW = 7, ONE_LINE = 200;

  // --- chance: SHA-256 of seed and purpose, as in participate/chance.py -----------------------
  const PRIMES = [];
  for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((p) => n % p)) PRIMES.push(n);
  const fraction = (x) => Math.floor((x - Math.floor(x)) * 4294967296);
  const K = PRIMES.map((p) => fraction(Math.cbrt(p)));
  const START = PRIMES.slice(0, 8).map((p) => fraction(Math.sqrt(p)));

  const sha256 = (text) => {
    const bytes = new TextEncoder().encode(text);
    const size = ((bytes.length + 8) >> 6) * 64 + 64;
    const data = new Uint8Array(size);
    data.set(bytes);
    data[bytes.length] = 128;
    const view = new DataView(data.buffer);
    view.setUint32(size - 8, Math.floor(bytes.length / 536870912));
    view.setUint32(size - 4, (bytes.length << 3) >>> 0);
    const hash = START.slice(), w = new Uint32Array(64);
    const turn = (x, n) => (x >>> n) | (x << (32 - n));
    for (let block = 0; block < size; block += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
      for (let i = 16; i < 64; i++) {
        const a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7] +
          (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
      }
      let [a, b, c, d, e, f, g, h] = hash;
      for (let i = 0; i < 64; i++) {
        const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) +
          K[i] + w[i]) | 0;
        const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
          ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
      }
      [a, b, c, d, e, f, g, h].forEach((x, i) => { hash[i] = (hash[i] + x) >>> 0; });
    }
    return hash;
  };
  const draw = (text) => {
    const [first, second] = sha256(text);
    return (first * 2097152 + (second >>> 11)) / 9007199254740992;
  };
  const shuffled = (things, ...purpose) => {
    const keys = things.map((_, index) => draw([...purpose, index].join(":")));
    return things.map((_, i) => i).sort((i, j) => keys[i] - keys[j]).map((i) => things[i]);
  };

  // --- the path, as in participate/survey.py and path.py --------------------------------------
  const chosenApplications = (state) => {
    const branch = state.condition.split(":")[0];
    if (survey.microTask) {
      const key = branch.slice(0, branch.lastIndexOf("-s"));
      return survey.applications.filter((each) => each.key === key);
    }
    const keys = survey.branches[branch] || survey.applications.map((each) => each.key);
    const shown = survey.applications.filter((each) => keys.includes(each.key));
    return shuffled(shown, state.seed, "applications")
      .slice(0, survey.applicationsEach || shown.length);
  };
  const pages = (state) => {
    const found = [];
    for (const application of chosenApplications(state)) {
      let numbers = Array.from({ length: survey.scenarios }, (_, i) => i + 1);
      if (survey.microTask) numbers = [Number(state.condition.split(":")[0].split("-s").pop())];
      else numbers = shuffled(numbers, state.seed, "scenarios", application.key)
        .slice(0, survey.perApplication || numbers.length);
      const levels = survey.levels;
      numbers.forEach((scenario, index) => found.push({ application, scenario, number: index + 1,
        total: numbers.length, check: null, level: survey.isBetween ? state.condition.split(":")[1]
          : shuffled(levels, state.seed, "interface", application.key,
            Math.floor(index / levels.length))[index % levels.length] }));
    }
    const where = shuffled(found.map((_, i) => i), state.seed, "attention");
    survey.checks.slice(0, found.length).forEach((check, i) => { found[where[i]].check = check; });
    return found;
  };
  const usedSystems = (state) => {
    const answer = state.answers.find((each) => each.screen === "systems");
    const given = answer ? [].concat(answer.form.systems || []) : [];
    if (!survey.systems || given.includes(survey.noSystem)) return [];
    return survey.systems.filter((key) => given.includes(key));
  };
  // --- questions next to the task, as in kinds/rules.py and kinds/question_pages.py -----------
  const ruleHolds = (rule, value) => {
    const isLimited = rule.at_least !== undefined || rule.at_most !== undefined;
    if (value === null || value === undefined) {
      return !(rule.any_of || []).length && !isLimited && rule.answered !== true;
    }
    if (rule.answered === false) return false;
    const given = [].concat(value).map(String);
    if ((rule.any_of || []).length && !given.some((each) => rule.any_of.includes(each))) return false;
    if (given.some((each) => (rule.none_of || []).includes(each))) return false;
    if (!isLimited) return true;
    const number = Array.isArray(value) || value === "" ? NaN : Number(value);
    return number >= (rule.at_least ?? -Infinity) && number <= (rule.at_most ?? Infinity);
  };
  const holds = (rules, known) =>
    (rules || []).every((rule) => ruleHolds(rule, known[rule.question]));
  const value = (field, form) => {
    const texts = [].concat(form[field.name] ?? []).map((each) => each.trim()).filter(Boolean);
    if (!texts.length) return null;
    if (field.kind === "choices") {
      return field.options.map((each) => each.value).filter((each) => texts.includes(each));
    }
    if (!["number", "slider", "share"].includes(field.kind)) return texts[0];
    const number = Number(texts[0].replace(",", "."));
    return field.kind === "slider" && number < field.minimum ? null : number;
  };
  const inWords = (field, given) => given === null ? "" : [].concat(given).map((each) =>
    (field.options || []).find((option) => option.value === String(each))?.label ?? String(each))
    .join(", ");
  const piped = (text, said) => (text || "").replace(/\{answer\.([\w-]+)(?:\|([^{}|]*))?\}/g,
    (_, name, otherwise) => said[name] || otherwise || "");
  const ordered = (questions, state) => {
    const places = questions.slice();
    for (const block of survey.blocks) {
      const own = questions.map((_, index) => index)
        .filter((index) => questions[index].block === block.key);
      const drawn = shuffled(own, state.seed, "block", block.key).slice(0, block.show ?? own.length);
      own.forEach((place, n) => { places[place] = n < drawn.length ? questions[drawn[n]] : null; });
    }
    return places.filter(Boolean);
  };
  const paged = (questions) => {
    const found = [];
    let names = [];
    for (const question of questions) {
      const needed = question.needs.some((name) => names.includes(name));
      if (!found.length || question.newPage || needed) { found.push([]); names = []; }
      found.at(-1).push(question);
      names.push(...question.fields.map((field) => field.name));
    }
    return found;
  };
  const asked = (question, state, said) => question.fields.map((field) => {
    let options = field.options || [];
    if (question.shuffle) {
      options = [...shuffled(options.filter((each) => each.value), state.seed, "options", field.name),
        ...options.filter((each) => !each.value)];
    }
    return { ...field, label: piped(field.label, said), help: piped(field.help, said),
      options: options.map((each) => ({ ...each, label: piped(each.label, said) })) };
  });
  const walk = (state) => {
    const known = {}, said = {}, sections = {};
    for (const [name, section] of Object.entries(survey.sections)) {
      sections[name] = [];
      let isAhead = false;
      paged(ordered(section.questions, state)).forEach((page, index) => {
        const key = index ? name + "-" + (index + 1) : name;
        const answer = state.answers.find((each) => each.screen === key);
        const shown = isAhead ? page : page.filter((each) => holds(each.rules, known));
        if (!shown.length) return;
        const isOptional = !shown.some((each) => each.required);
        const screen = { ...section.screen, blocks: isOptional ? section.screen.blocks : [],
          fields: shown.flatMap((each) => asked(each, state, said)) };
        sections[name].push({ key, screen,
          isUnsure: isAhead && page.every((each) => each.rules.length) });
        if (!answer) { isAhead = true; return; }
        shown.flatMap((each) => each.fields).forEach((field) => {
          known[field.name] = value(field, answer.form);
          said[field.name] = inWords(field, known[field.name]);
        });
      });
    }
    return { sections, out: survey.screenOuts.find((each) => holds(each.when, known)) };
  };
  const path = (state, way) => {
    const steps = [];
    const add = (key) => { if (survey.screens[key]) steps.push({ key, screen: survey.screens[key] }); };
    steps.push(...way.sections.demographics);
    add("systems");
    const used = usedSystems(state);
    shuffled(used, state.seed, "real systems").forEach((key) => add("real-" + key));
    const ending = used.length ? "|" + shuffled(used, state.seed, "imagined")[0] : "";
    let shown = "";
    for (const page of pages(state)) {
      const key = page.application.key;
      if (key !== shown && !survey.microTask) {
        shown = key;
        const own = survey.isBetween ? ":" + page.level : "";
        steps.push({ key, screen: survey.screens[key + own + ending] });
      }
      const name = key + "-s" + page.scenario + (page.level ? ":" + page.level : ""), screen = { ...survey.screens[name + ending] };
      screen.title = filled(survey.words.scenario_title,
        { application: page.application.name, number: page.number, total: page.total });
      if (page.check) screen.fields = [...screen.fields, page.check];
      steps.push({ key: name, screen });
    }
    steps.push(...way.sections.closing);
    return steps;
  };
  const filled = (text, blanks) => text.replace(/\{(\w+)\}/g, (_, name) => blanks[name]);

  // --- state: kept in this tab until it is saved as a file ------------------------------------
  const fresh = () => {
    const random = crypto.getRandomValues(new Uint32Array(6));
    const seed = (random[0] % 2097152) * 4294967296 + random[1];
    const person = Array.from(random.slice(2), (n) => n.toString(16).padStart(8, "0")).join("");
    const condition = shuffled(survey.conditions, seed, "condition")[0];
    return { person, seed, condition, answers: [], shownAt: new Date().toISOString(),
      isSaved: true };
  };
  const load = () => {
    try { return JSON.parse(sessionStorage.getItem(place)); } catch { return null; }
  };
  const keep = () => {
    try { sessionStorage.setItem(place, JSON.stringify(state)); } catch { /* this tab only */ }
  };
  let state = load() || fresh();
  const saved = (isSaved) => { state.isSaved = isSaved; keep(); };

  const current = () => {
    const answered = new Set(state.answers.map((each) => each.screen));
    if (!answered.has("consent")) return { key: "consent", screen: survey.screens.consent };
    const way = walk(state);
    if (way.out) return { key: way.out.screen, screen: survey.screens[way.out.screen] };
    const steps = path(state, way);
    const index = steps.findIndex((each) => !answered.has(each.key));
    if (index < 0) return { key: "finished", screen: survey.screens.finished };
    // Every system may follow until it is known which are used: nobody is moved backwards.
    const systems = (survey.systems || []).length, isKnown = answered.has("systems");
    const passed = isKnown ? systems - usedSystems(state).length : 0;
    const isSure = (isKnown || !systems) && !steps.some((each) => each.isUnsure);
    return { ...steps[index], done: index + 1 + passed,
      total: steps.length + 1 + (isKnown ? passed : systems),
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
    details: (block) => make("details", {}, make("summary", {}, block.summary),
      (block.paragraphs || []).map((each) => make("p", {}, words(each.words)))),
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
  const shownField = (field, sent, problem) => field.heading
    ? [make("h2", { class: "ask" }, field.heading), shownPart(field, sent, problem)]
    : shownPart(field, sent, problem);
  const shownPart = (field, sent, problem) => {
    if (field.kind === "likert") {
      return group(field, "radio", "scale points-" + field.options.length +
        (field.options.length <= MOST_IN_A_ROW ? " short" : ""), sent, problem);
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
      top.append(make("p", { class: "progress" },
        make("label", { for: "progress" }, filled(step.progress, step)),
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
      (screen.buttons || []).length ? make("p", { class: "buttons" }, screen.buttons.map(
        (each) => make("button", { name: each.name, value: each.value,
          class: each.main === false ? "quiet" : "" }, each.label))) : null);
    form.addEventListener("submit", (event) => send(event, step, form));
    main.append(form);
    if (isEnd(screen)) main.append(...saving());
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
    state.answers.push(
      { screen: step.key, form: sent, shown_at: state.shownAt, answered_at: now });
    state.shownAt = now;
    saved(false);
    return show(current());
  };
  const saving = () => {
    const text = JSON.stringify({ howgood: survey.format, format: 1, study: survey.study,
      version: survey.version, person: state.person, seed: state.seed,
      condition: state.condition, answers: state.answers }, null, 1);
    const file = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = make("a", { class: "button", href: file,
      download: survey.study + "-" + state.person.slice(0, 8) + ".json" }, survey.words.offline_save);
    link.addEventListener("click", () => saved(true));
    const box = make("textarea", { id: "answers", rows: "6", readonly: true });
    box.value = text;
    const said = make("span", { role: "status" });
    const copy = make("button", { type: "button", class: "quiet" }, survey.words.offline_copy);
    copy.addEventListener("click", async () => {
      box.select();
      try { await navigator.clipboard.writeText(text); } catch { document.execCommand("copy"); }
      said.textContent = survey.words.offline_copied;
      saved(true);
    });
    const startAgain = () => {
      URL.revokeObjectURL(file);
      state = fresh();
      try { sessionStorage.removeItem(place); } catch { /* nothing was kept */ }
      show(current());
    };
    const next = make("button", { type: "button", class: "quiet" }, survey.words.offline_next);
    const asked = make("div", { role: "alert" });
    next.addEventListener("click", () => {
      if (state.isSaved) return startAgain();
      const discard = make("button", { type: "button", class: "quiet" },
        survey.words.offline_discard);
      discard.addEventListener("click", startAgain);
      asked.replaceChildren(make("div", { class: "notice warning" },
        make("p", {}, survey.words.offline_unsaved), make("p", { class: "buttons" }, discard)));
      return link.focus();
    });
    return [make("p", { class: "buttons" }, link),
      make("div", { class: "field" },
        make("label", { class: "name", for: "answers" }, survey.words.offline_text), box,
        make("p", { class: "buttons" }, copy, said)),
      make("p", { class: "buttons" }, next), asked];
  };
  window.addEventListener("beforeunload", (event) => {
    if (!state.isSaved && isEnd(current().screen)) event.preventDefault();
  });
  show(current());
})();
