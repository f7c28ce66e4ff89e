// The map of equal acceptance: drag the point, move the sliders, or drop a classifier's scores on
// it. Share and interval follow; nothing leaves the page. Without scripts the picture stands still.
(() => {
  const least = 0.4, left = 52, top = 14, size = 360, reach = 6.5, steps = 52;
  const nodes = Array.from({length: steps + 1}, (_, k) => -reach + (2 * reach * k) / steps);
  const heights = nodes.map((z) => Math.exp(-z * z / 2));
  const total = heights.reduce((sum, each) => sum + each, 0);
  const x = (value) => left + size * (value - least) / (1 - least);
  const y = (value) => top + size * (1 - (value - least) / (1 - least));
  const clip = (value, low, high) => Math.min(high, Math.max(low, value));
  const said = (card, name, values) => card.dataset[name]
    .replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const percent = (share) => share > 0 && share < .005 ? "< 1 %"
    : share > .995 && share < 1 ? "> 99 %" : `${Math.round(100 * share)} %`;

  const mean = (precision, recall, p, alpha) => Math.abs(p) < 1e-9
    ? Math.exp(alpha * Math.log(precision) + (1 - alpha) * Math.log(recall))
    : (alpha * precision ** p + (1 - alpha) * recall ** p) ** (1 / p);

  // The share of a population whose locations vary normally, draw by draw (trapezoid rule).
  const shares = (draws, precision, recall) => draws.p.map((p, d) => {
    const location = draws.intercept[d]
      + draws.slope[d] * mean(precision, recall, p, draws.alpha[d]);
    let sum = 0;
    for (let k = 0; k <= steps; k++) {
      sum += heights[k] / (1 + Math.exp(-location - draws.person_sd[d] * nodes[k]));
    }
    return sum / total;
  });

  // Mean and shortest 95 % interval, as Estimate.from_draws has them.
  const summary = (values) => {
    const sorted = [...values].sort((a, b) => a - b), inside = Math.floor(.95 * sorted.length);
    let first = 0;
    for (let k = 0; k + inside < sorted.length; k++) {
      if (sorted[k + inside] - sorted[k] < sorted[first + inside] - sorted[first]) first = k;
    }
    const middle = values.reduce((sum, each) => sum + each, 0) / values.length;
    return [sorted[first], middle, sorted[first + inside]];
  };

  // A CSV of truth and score, as points of the precision-recall curve with their thresholds.
  const curveOf = (text, card) => {
    const rows = text.trim().split(/\r?\n/).map((line) => line.split(/[,;\t]/));
    const names = rows.shift().map((name) => name.trim().replace(/^"|"$/g, "").toLowerCase());
    const find = (...known) => names.findIndex((name) => known.includes(name));
    const truth = find("y_true", "truth", "label", "target", "y");
    const score = find("score", "y_score", "probability", "p", "prediction", "y_prob", "scores");
    if (truth < 0 || score < 0) throw new Error(card.dataset.textColumns);
    const cases = rows.map((row) => [/^(1|1\.0|true|yes|positive)$/i.test(row[truth].trim()),
                                     Number(row[score])]).filter((each) => Number.isFinite(each[1]));
    const positives = cases.filter((each) => each[0]).length;
    if (!positives) throw new Error(card.dataset.textLabels);
    cases.sort((a, b) => b[1] - a[1]);
    const points = [];
    let found = 0;
    cases.forEach((each, k) => {
      found += each[0];
      if (k + 1 === cases.length || cases[k + 1][1] !== each[1]) {
        points.push({precision: found / (k + 1), recall: found / positives, threshold: each[1]});
      }
    });
    return points;
  };

  const begin = (card) => {
    const draws = JSON.parse(card.dataset.map), svg = card.querySelector(".hg-map");
    const here = svg.querySelector(".here"), label = svg.querySelector(".here-text");
    const at = (name) => card.querySelector(`[data-${name}]`);
    const inputs = {precision: at("precision"), recall: at("recall")};
    const show = (precision, recall) => {
      const [lower, middle, upper] = summary(shares(draws, precision, recall));
      const range = {lower: Math.round(100 * lower), upper: Math.round(100 * upper)};
      here.setAttribute("cx", x(clip(precision, least, 1)));
      here.setAttribute("cy", y(clip(recall, least, 1)));
      label.textContent = said(card, "textAccept", {share: percent(middle)});
      const side = precision > .85 ? "end" : precision < .55 ? "start" : "middle";
      const isLow = recall < .5, across = x(clip(precision, least, 1)), centre = left + size / 2;
      label.setAttribute("class", `here-text ${side}`);
      label.setAttribute("x", side === "middle" ? clip(across, centre - 55, centre + 55)
        : across + (side === "end" ? -10 : 10));
      label.setAttribute("y", y(clip(recall, least, 1))
        + (side === "middle" ? (isLow ? -14 : 29) : isLow ? -10 : 18));
      at("hero").textContent = percent(middle);
      const band = at("band");
      band.setAttribute("aria-label", said(card, "textBetween", range));
      band.querySelector(".range").setAttribute("x", 300 * lower);
      band.querySelector(".range").setAttribute("width", 300 * (upper - lower));
      band.querySelector(".middle").setAttribute("x", 300 * middle - 2);
      const isBeyond = draws.lowest !== null && (precision + recall) / 2 < draws.lowest - 1e-9;
      const values = {precision: percent(precision), recall: percent(recall), ...range,
                      share: percent(middle)};
      at("says").textContent = said(card, "textSays", values)
        + (isBeyond ? ` ${card.dataset.textBeyond}` : "");
      for (const link of document.querySelectorAll("[data-follow]")) {
        const text = link.dataset.follow.replaceAll("{precision}", Math.round(100 * precision))
          .replaceAll("{recall}", Math.round(100 * recall));
        link.querySelector("code").textContent = text;
        link.querySelector("[data-copy]").dataset.copy = text;
      }
      for (const [name, value] of [["precision", precision], ["recall", recall]]) {
        inputs[name].value = Math.round(100 * value);
        inputs[name].nextElementSibling.textContent = percent(value);
      }
    };
    const pointed = (event) => {
      const box = svg.getBoundingClientRect(), scale = 460 / box.width;
      const across = ((event.clientX - box.left) * scale - left) / size;
      const down = ((event.clientY - box.top) * scale - top) / size;
      show(clip(least + across * (1 - least), least, 1), clip(1 - down * (1 - least), least, 1));
    };
    svg.addEventListener("pointerdown", (event) => {
      svg.setPointerCapture(event.pointerId);
      pointed(event);
    });
    svg.addEventListener("pointermove", (event) => { if (event.buttons) pointed(event); });
    for (const input of Object.values(inputs)) {
      input.addEventListener("input", () =>
        show(inputs.precision.value / 100, inputs.recall.value / 100));
    }
    const drop = async (file) => {
      const dropped = at("dropped");
      if (!file) return;
      try {
        const points = curveOf(await file.text(), card);
        const seen = points.filter((each) => each.precision >= least && each.recall >= least);
        let line = svg.querySelector(".curve");
        if (!line) {
          line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
          line.setAttribute("class", "curve");
          svg.insertBefore(line, here);
        }
        line.setAttribute("points",
          seen.map((each) => `${x(each.precision)},${y(each.recall)}`).join(" "));
        const few = points.filter((_, k) => k % Math.ceil(points.length / 150) === 0);
        const best = few.map((each) => ({...each,
          share: summary(shares(draws, each.precision, each.recall))[1]}))
          .reduce((one, other) => (other.share > one.share ? other : one));
        show(best.precision, best.recall);
        dropped.textContent = said(card, "textBest",
          {file: file.name, threshold: best.threshold.toPrecision(3)});
      } catch (error) {
        dropped.textContent = `${file.name}: ${error.message}`;
      }
    };
    at("file").addEventListener("change", (event) => drop(event.target.files[0]));
    for (const kind of ["dragover", "dragleave", "drop"]) {
      card.addEventListener(kind, (event) => {
        event.preventDefault();
        card.classList.toggle("dropping", kind === "dragover");
        if (kind === "drop") drop(event.dataTransfer.files[0]);
      });
    }
    card.classList.add("is-live");
    card.querySelector(".ask-map").hidden = false;
  };
  for (const card of document.querySelectorAll("[data-map]")) begin(card);
})();
