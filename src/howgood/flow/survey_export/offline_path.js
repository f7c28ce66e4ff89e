// The path of a study in one file: which screen comes next, exactly as on a server.
"use strict";
const howgoodPath = (survey) => {
  // --- chance: SHA-256 of seed and purpose, as in kinds/seeded.py -----------------------
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

  // --- the path, as in kinds/survey/screens.py and participate/path.py --------------------------------------
  const chosenApplications = (state, way) => {
    const branch = state.condition.split(":")[0];
    if (survey.microTask) {
      const key = branch.slice(0, branch.lastIndexOf("-s"));
      return survey.applications.filter((each) => each.key === key);
    }
    const keys = survey.branches[branch] || survey.applications.map((each) => each.key);
    const shown = survey.applications.filter((each) => keys.includes(each.key) &&
      (!way.isSettled || holds(each.rules, way.known)));
    return shuffled(shown, state.seed, "applications")
      .slice(0, survey.applicationsEach || shown.length);
  };
  const pages = (state, way) => {
    const found = [];
    for (const application of chosenApplications(state, way)) {
      let numbers = Array.from({ length: survey.scenarios }, (_, i) => i + 1);
      if (survey.microTask) numbers = [Number(state.condition.split(":")[0].split("-s").pop())];
      else numbers = shuffled(numbers, state.seed, "scenarios", application.key)
        .slice(0, survey.perApplication || numbers.length);
      const levels = survey.levels;
      numbers.forEach((scenario, index) => found.push({ application, scenario, number: index + 1,
        total: numbers.length, check: null,
        isUnsure: !way.isSettled && application.rules.length > 0, level: survey.isBetween ? state.condition.split(":")[1]
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
    let newPage = false;
    return places.flatMap((question, place) => {
      newPage ||= questions[place].newPage;
      if (!question) return [];
      const placed = { ...question, newPage };
      newPage = false;
      return [placed];
    });
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
  // A question with several answers has them in an order of chance; what is said once comes first.
  const inOrder = ({ fields, shuffle }, state) => {
    if (shuffle !== "answers") return fields;
    const { heading, help, name } = fields[0];
    return shuffled(fields, state.seed, "options", name).map((field, index) =>
      index ? { ...field, heading: "", help: "" } : { ...field, heading, help });
  };
  const asked = (question, state, said) => inOrder(question, state).map((field) => {
    let options = field.options || [];
    if (question.shuffle === "options") {
      options = [...shuffled(options.filter((each) => each.value), state.seed, "options", field.name),
        ...options.filter((each) => !each.value)];
    }
    return { ...field, heading: piped(field.heading, said), label: piped(field.label, said),
      help: piped(field.help, said),
      options: options.map((each) => ({ ...each, label: piped(each.label, said) })) };
  });
  const areDone = (state, pages) => pages.every((page) =>
    state.answers.some((answer) => answer.screen === page.key));
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
        sections[name].push({ key, screen, advance: 1,
          isUnsure: isAhead && page.every((each) => each.rules.length) });
        if (!answer) { isAhead = true; return; }
        shown.flatMap((each) => each.fields).forEach((field) => {
          known[field.name] = value(field, answer.form);
          said[field.name] = inWords(field, known[field.name]);
        });
      });
    }
    return { sections, known, isSettled: areDone(state, sections.demographics), out: survey.screenOuts.find((each) => holds(each.when, known)) };
  };
  const answerTo = (state, key) => state.answers.find((answer) => answer.screen === key);
  const shown = (key, name, title, blanks) => {
    const screen = survey.screens[name];
    return { key, advance: 1,
      screen: title ? { ...screen, title: filled(survey.words[title], blanks) } : screen };
  };

  // --- the task of each kind: a walk gives its steps ------------------------------------------
  const walks = {};
  walks.survey = (state, way) => {
    const steps = [], systems = survey.systems || [], used = usedSystems(state);
    if (survey.screens.systems) {
      const isKnown = answerTo(state, "systems");
      // Every system may follow until it is known which are used: nobody is moved backwards.
      steps.push({ ...shown("systems", "systems"),
        advance: isKnown ? 1 + systems.length - used.length : 1 });
      if (!isKnown) steps.push({ key: "systems ahead", advance: systems.length, isUnsure: true });
    }
    shuffled(used, state.seed, "real systems").forEach((key) =>
      steps.push(shown("real-" + key, "real-" + key)));
    const ending = used.length ? "|" + shuffled(used, state.seed, "imagined")[0] : "";
    let last = "";
    const first = steps.length;
    for (const page of pages(state, way)) {
      const key = page.application.key;
      if (key !== last && !survey.microTask) {
        last = key;
        const own = survey.isBetween ? ":" + page.level : "";
        steps.push({ ...shown(key, key + own + ending), isUnsure: page.isUnsure });
      }
      const name = key + "-s" + page.scenario + (page.level ? ":" + page.level : "");
      const step = shown(name, name + ending, "scenario_title",
        { application: page.application.name, number: page.number, total: page.total });
      step.isUnsure = page.isUnsure;
      if (page.check) step.screen.fields = [...step.screen.fields, page.check];
      steps.push(step);
    }
    // Who judges fewer applications moves faster: the progress never jumps.
    const every = pages(state, { isSettled: false });
    const most = every.length + (survey.microTask ? 0
      : new Set(every.map((page) => page.application)).size);
    const own = steps.slice(first);
    own.forEach((step, index) => { step.advance =
      Math.round((index + 1) * most / own.length) - Math.round(index * most / own.length); });
    return steps;
  };
  walks.seats = (state) => seatOf(state).steps.map(([key, name, number, total]) =>
    shown(key, name, number ? "scenario_title" : "", { application: survey.name, number, total }));
  walks.rounds = (state) => {
    const steps = [];
    for (let round = 1; round <= survey.rounds; round++) {
      const opens = round > 1 && opening(state, round - 1);
      if (opens && Date.now() < opens) steps.push(waiting(round, opens));
      steps.push(shown("round-" + round, "round-" + round));
      shuffled(survey.items, state.seed, "round", round).forEach((item, index) => steps.push(
        shown("round-" + round + "-" + item, "item|" + item, "item_title",
          { round, rounds: survey.rounds, number: index + 1, total: survey.items.length })));
    }
    return steps;
  };
  const opening = (state, round) => {
    const ends = survey.delayMinutes ? survey.items
      .map((item) => answerTo(state, "round-" + round + "-" + item)).filter(Boolean)
      .map((answer) => Date.parse(answer.answered_at)) : [];
    return ends.length === survey.items.length && ends.length
      ? Math.max(...ends) + survey.delayMinutes * 60000 : 0;
  };
  const waiting = (round, opens) => {
    // To the minute, so never earlier than it is true.
    const when = new Date(Math.ceil(opens / 60000) * 60000).toLocaleString(survey.language,
      { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });
    const text = filled(survey.words.wait_text, { number: round, total: survey.rounds, when });
    return { key: "wait-" + round, advance: 0, until: opens, screen: { kind: "wait",
      title: survey.words.wait_title, blocks: [{ block: "paragraph", words: bold(text) }] } };
  };
  const bold = (text) => text.split("**").map((piece, index) =>
    ({ text: piece, bold: index % 2 === 1 })).filter((piece) => piece.text);
  walks.pairs = (state) => {
    const steps = survey.before.map((key) => shown(key, key));
    const said = survey.practice ? practice(state, steps) : null;
    survey.then.forEach((key, index) => {
      const step = shown(key, key);
      if (said && !index) step.screen = { ...step.screen, blocks: [said, ...step.screen.blocks || []] };
      steps.push(step);
    });
    const isReached = steps.every((step) => answerTo(state, step.key));
    steps.push(...isReached ? pairSteps(state)
      : [{ key: "pairs ahead", advance: mostPairs(state), isUnsure: Boolean(survey.graph) }]);
    return [...steps, ...survey.after.map((key) => shown(key, key))];
  };

  // --- practice, as in kinds/comparison/practice.py -------------------------------------------
  const practice = (state, steps) => {
    let above = null;
    survey.practice.questions.forEach((question, index) => {
      const key = "practice-" + (index + 1), step = shown(key, key), own = step.screen.blocks;
      if (above) step.screen = { ...step.screen, blocks: [above, ...own] };
      steps.push(step);
      const tries = [answerTo(state, key), answerTo(state, key + "-again")];
      if (tries[0] && !isRight(question.right, step.screen, tries[0])) {
        const kept = index ? own : own.slice(survey.practice.text.length);
        steps.push({ key: key + "-again", advance: 0,
          screen: { ...step.screen, blocks: [survey.practice.again, ...kept] } });
      }
      const last = tries[1] || tries[0];
      above = last && question.said[isRight(question.right, step.screen, last) ? "good" : "neutral"];
    });
    return above;
  };
  const isRight = (right, screen, answer) => {
    const given = value(screen.fields[0], answer.form);
    return right.places ? right.places.includes(given) : given >= right.from && given <= right.to;
  };

  // --- pairs, as in kinds/pair_choices.py and kinds/offline_pairs.py --------------------------
  const SIDES = ["first", "second", "same"];
  const seatOf = (state) => survey.seats.find((seat) => seat.seed === state.seed);
  const mostPairs = (state) => survey.graph ? survey.most : seatOf(state).slots.length;
  const pairSteps = (state) => {
    const most = mostPairs(state), steps = [];
    let standing = [], reached = 0;
    for (let answer; (answer = answerTo(state, "compare-" + (steps.length + 1)));) {
      standing = answer.form.choice === "undo" ? standing.slice(0, -1)
        : [...standing, answer.form.choice];
      reached = Math.max(reached, standing.length);
      steps.push({ key: answer.screen, advance: 0 });
    }
    const next = survey.graph ? bisected(state, standing) : planned(seatOf(state).slots, standing);
    if (steps.length) steps.at(-1).advance = next ? Math.min(reached, most) : most;
    if (!next) return steps;
    const screen = survey.screens["pair-" + next.pair + "-" + Number(next.isSwapped)];
    const buttons = screen.buttons.filter((button) => standing.length || button.value !== "undo");
    const ahead = most - (steps.length ? reached : 0);
    return [...steps, { key: "compare-" + (steps.length + 1), advance: 0,
      screen: { ...screen, buttons } },
    { key: "pairs ahead", advance: Math.max(ahead, 0), isUnsure: Boolean(survey.graph) }];
  };
  const bisected = (state, choices) => {
    let node = 0, n = 0;
    for (; survey.graph[node][0] >= 0; n++) {
      const isSwapped = draw(state.seed + ":side:" + n) < 0.5;
      if (n === choices.length) return { pair: survey.graph[node][0], isSwapped };
      const side = SIDES.indexOf(choices[n]);
      node = survey.graph[node][1 + (isSwapped && side < 2 ? 1 - side : side)];
    }
    const after = seatOf(state).after, place = choices.length - n;
    return place < after.length ? { pair: after[place], isSwapped: false } : null;
  };
  const planned = (slots, choices) => {
    const asked = [];
    for (let place = 0; place <= choices.length && place < slots.length; place++) {
      const [pair, again, swapped] = slots[place];
      asked.push(again >= 0
        ? { pair: asked[again].pair, isSwapped: !asked[again].isSwapped, isAgain: true }
        : { pair: pair >= 0 ? pair : searched(slots, asked, choices), isSwapped: swapped === 1 });
    }
    return choices.length < slots.length ? asked[choices.length] : null;
  };
  const searched = (slots, asked, choices) => {
    const n = survey.pool.learn, against = new Array(n + 1).fill(0);
    asked.forEach((each, index) => {
      if (each.isAgain || each.pair >= n || choices[index] === "same") return;
      const prefersFirst = (choices[index] === "first") !== each.isSwapped;
      for (let turn = 0; turn <= n; turn++) {
        against[turn] += Number(prefersFirst ? turn > each.pair : turn <= each.pair);
      }
    });
    const least = Math.min(...against);
    const middle = against.indexOf(least) + against.lastIndexOf(least);
    const taken = new Set([...asked.map((each) => each.pair), ...slots.map((slot) => slot[0])]);
    let best = -1;
    for (let pair = 0; pair < n; pair++) {
      const isNearer = best < 0 || Math.abs(2 * pair + 1 - middle) < Math.abs(2 * best + 1 - middle);
      if (!taken.has(pair) && isNearer) best = pair;
    }
    return best;
  };
  const path = (state, way) => [...way.sections.demographics,
    ...walks[survey.walk](state, way), ...way.sections.closing];
  const filled = (text, blanks) => text.replace(/\{(\w+)\}/g, (_, name) => blanks[name]);
  return { shuffled, walk, path, value, filled };
};
