// Is 85 % enough? Starts Python in the browser when asked to, and shows what howgood says.
"use strict";
(() => {
  const root = document.getElementById("try");
  if (!root) return;
  const PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/";
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const percent = (share) => `${Math.round(100 * share)} %`;
  const plain = (number) => number.toFixed(1);
  const [LEFT, RIGHT, TOP, BASE] = [44, 590, 12, 190];
  const x = (accuracy) => LEFT + ((accuracy - 0.5) / 0.5) * (RIGHT - LEFT);
  const y = (share) => BASE - share * (BASE - TOP);
  let python = null;
  let latest = 0;

  const run = async (call, ...given) =>
    JSON.parse(await python.runPythonAsync(`${call}(${given.map((one) => JSON.stringify(one)).join(", ")})`));

  const say = (text) => { part("status").textContent = text; };

  const loadScript = (address) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${address} could not be loaded`));
    document.head.append(script);
  });

  async function start() {
    part("start").disabled = true;
    try {
      say("Loading Python…");
      await loadScript(`${PYODIDE}pyodide.js`);
      python = await window.loadPyodide({ indexURL: PYODIDE });
      say("Loading NumPy and SciPy…");
      await python.loadPackage(["numpy", "scipy", "pydantic"]);
      say("Loading howgood…");
      const [wheel, lines] = await Promise.all([
        fetch(root.dataset.wheel).then((reply) => reply.arrayBuffer()),
        fetch(root.dataset.lines).then((reply) => reply.text()),
      ]);
      python.unpackArchive(wheel, "wheel");
      await python.runPythonAsync(lines);
      await fill();
      say("");
      part("intro").hidden = true;
      part("panel").hidden = false;
      await chosen();
    } catch (error) {
      say(`This did not work (${error.message}). Reload the page to try again, or use howgood serve.`);
      part("start").disabled = false;
    }
  }

  async function fill() {
    for (const one of await run("applications")) {
      const option = document.createElement("option");
      option.value = one.name;
      option.textContent = `${one.label} (${one.people} people asked)`;
      part("application").append(option);
    }
  }

  async function chosen() {
    const rows = (await run("curve", part("application").value)).filter((row) => row.accuracy >= 0.5);
    const line = (name) => rows.map((row) => `${x(row.accuracy).toFixed(1)},${y(row[name]).toFixed(1)}`);
    part("line").setAttribute("points", line("accepting").join(" "));
    part("band").setAttribute("points", [...line("upper"), ...line("lower").reverse()].join(" "));
    await moved();
  }

  async function moved() {
    const [precision, recall] = ["precision", "recall"].map((name) => Number(part(name).value) / 100);
    part("precision-value").textContent = percent(precision);
    part("recall-value").textContent = percent(recall);
    const turn = ++latest;
    const found = await run("answer", part("application").value, precision, recall);
    if (turn !== latest) return; // somebody moved on
    const label = part("application").selectedOptions[0].textContent;
    part("share").textContent = percent(found.mean);
    part("sentence").textContent =
      `of people would accept this accuracy (likely between ${Math.round(100 * found.lower)} and ${percent(found.upper)}).`;
    part("gain").textContent =
      `One more point of recall would win ${plain(found.recall_gain)}, one more of precision ${plain(found.precision_gain)} percentage points of people.`;
    const middle = x(Math.min(Math.max((precision + recall) / 2, 0.5), 1));
    for (const [name, place] of [["x1", middle], ["x2", middle], ["y1", y(found.lower)], ["y2", y(found.upper)]])
      part("whisker").setAttribute(name, place.toFixed(1));
    part("dot").setAttribute("cx", middle.toFixed(1));
    part("dot").setAttribute("cy", y(found.mean).toFixed(1));
    part("picture").setAttribute("aria-label",
      `${label}: ${percent(found.mean)} would accept ${percent(precision)} precision and ${percent(recall)} recall`);
  }

  part("start").addEventListener("click", start);
  part("application").addEventListener("change", chosen);
  for (const name of ["precision", "recall"]) part(name).addEventListener("input", moved);
})();
