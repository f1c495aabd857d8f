"use strict";
// Matrix and lines (of images the image) of one example, kind, layer and head; what is chosen is in `state` and in the selects. Texts go into
// the page as text alone, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  const state = { example: 0, kind: 0, layer: 0, head: -1, query: -1, isPinned: false, least: 0.05 };
  const decoded = new Map();

  const kindsOf = () => data.examples[state.example].kinds;
  const current = () => kindsOf()[state.kind];

  // --- Weights -----------------------------------------------------------------------------------------------------------------------

  // Half precision: 1 bit of sign, 5 of exponent, 10 of fraction.
  const fromHalf = (bits) => {
    const exponent = (bits >> 10) & 31, fraction = bits & 1023;
    return exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  };
  const allWeights = (kind) => {
    if (!decoded.has(kind)) {
      const bytes = atob(kind.weights), weights = new Float32Array(bytes.length / 2);
      for (let i = 0; i < weights.length; ++i) weights[i] = fromHalf(bytes.charCodeAt(2 * i) | (bytes.charCodeAt(2 * i + 1) << 8));
      decoded.set(kind, weights);
    }
    return decoded.get(kind);
  };
  // [queries, keys] of the layer and head that are chosen; head -1: the mean.
  const chosenWeights = () => {
    const kind = current(), size = kind.queries.length * kind.keys.length, heads = kind.heads.length, weights = allWeights(kind);
    const of = (head) => weights.subarray((state.layer * heads + head) * size, (state.layer * heads + head + 1) * size);
    if (state.head >= 0) return of(state.head);
    const mean = new Float32Array(size);
    for (let head = 0; head < heads; ++head) of(head).forEach((weight, i) => { mean[i] += weight / heads; });
    return mean;
  };

  // --- Colours -----------------------------------------------------------------------------------------------------------------------

  const scales = {
    light: [[247, 247, 244], [186, 221, 198], [73, 164, 180], [26, 92, 148], [21, 31, 69]],
    dark: [[29, 35, 42], [38, 70, 104], [36, 128, 148], [132, 190, 120], [253, 231, 120]],
  };
  const heat = [[40, 10, 60], [120, 20, 110], [220, 60, 70], [250, 160, 60], [252, 250, 190]];
  const colorOn = (scale, share) => {
    const place = Math.max(0, Math.min(1, share)) * (scale.length - 1), below = Math.min(scale.length - 2, Math.floor(place));
    return scale[below].map((from, i) => Math.round(from + (scale[below + 1][i] - from) * (place - below)));
  };
  const theme = () => document.documentElement.dataset.theme;
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // --- The matrix --------------------------------------------------------------------------------------------------------------------

  const matrix = element("matrix");
  let layout = { left: 0, top: 0, cell: 1 };
  const drawMatrix = (weights) => {
    const kind = current(), queries = kind.queries.length, keys = kind.keys.length, longest = Math.max(queries, keys);
    const font = Math.max(9, Math.min(14, Math.floor(420 / longest)));
    const context = matrix.getContext("2d");
    const face = `${font}px "DejaVu Sans", "Noto Sans", Arial, sans-serif`;
    context.font = face;
    const widest = (labels) => Math.max(...labels.map((label) => context.measureText(label).width));
    const left = widest(rowLabels(kind)) + 8, top = widest(kind.keys) + 8, ratio = window.devicePixelRatio || 1;
    const room = Math.min(420, matrix.parentElement.clientWidth - left - 2);  // of the window
    const cell = Math.max(2, Math.min(40, Math.floor(room / longest))), every = Math.ceil(font / cell);
    const width = left + keys * cell + 2, height = top + queries * cell + 2;
    matrix.width = width * ratio;
    matrix.height = height * ratio;
    matrix.style.width = `${width}px`;
    matrix.style.height = `${height}px`;
    context.scale(ratio, ratio);
    context.font = face;
    layout = { left, top, cell };
    const most = Math.max(...weights.reduce((all, weight) => { if (weight > all[0]) all[0] = weight; return all; }, [1e-6]));
    element("first").textContent = `Matrix: rows ask, columns are looked at; the strongest colour is ${most.toFixed(2)}`;
    for (let q = 0; q < queries; ++q) {
      for (let k = 0; k < keys; ++k) {
        const [red, green, blue] = colorOn(scales[theme()], weights[q * keys + k] / most);
        context.fillStyle = `rgb(${red},${green},${blue})`;
        context.fillRect(left + k * cell, top + q * cell, cell, cell);
      }
    }
    context.strokeStyle = css("--rule");
    context.strokeRect(left, top, keys * cell, queries * cell);
    if (state.query >= 0) {
      context.strokeStyle = css("--accent");
      context.lineWidth = 2;
      context.strokeRect(left, top + state.query * cell, keys * cell, cell);
    }
    context.textBaseline = "middle";
    context.textAlign = "right";
    rowLabels(kind).forEach((label, q) => {
      if (q % every !== 0 && q !== state.query) return;
      context.fillStyle = css(q === state.query ? "--accent" : "--ink");
      context.fillText(label, left - 6, top + (q + 0.5) * cell);
    });
    context.textAlign = "left";
    kind.keys.forEach((label, k) => {
      if (k % every !== 0) return;
      context.save();
      context.translate(left + (k + 0.5) * cell, top - 6);
      context.rotate(-Math.PI / 2);
      context.fillStyle = css("--ink");
      context.fillText(label, 0, 0);
      context.restore();
    });
  };
  const rowLabels = (kind) => (kind.predicts ? kind.queries.map((label, q) => `${label} → ${kind.predicts[q]}`) : kind.queries);

  // --- Lines between words -----------------------------------------------------------------------------------------------------------

  const lines = element("lines");
  const svg = (name, attributes, words) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (words !== undefined) node.textContent = words;
    lines.append(node);
    return node;
  };
  const drawLines = (weights) => {
    const kind = current(), keys = kind.keys.length, row = 22, rows = rowLabels(kind);
    const wide = (labels) => 8.8 * Math.max(...labels.map((label) => [...label].length)) + 12;
    const begin = wide(rows), end = begin + 190, width = end + wide(kind.keys) + 60, height = row * Math.max(rows.length, keys) + 8;
    lines.replaceChildren();
    lines.setAttribute("width", width);
    lines.setAttribute("height", height);
    lines.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const middle = (i) => row * (i + 0.5) + 4;
    for (let q = 0; q < rows.length; ++q) {
      if (state.query >= 0 && q !== state.query) continue;
      for (let k = 0; k < keys; ++k) {
        const weight = weights[q * keys + k];
        if (weight < state.least) continue;
        svg("line", { x1: begin, y1: middle(q), x2: end, y2: middle(k), "stroke-opacity": Math.min(1, weight).toFixed(3), class: state.query >= 0 ? "chosen" : "" });
      }
    }
    rows.forEach((label, q) => {
      const node = svg("text", { x: begin - 8, y: middle(q) + 5, "text-anchor": "end", "data-query": q, class: q === state.query ? "chosen" : "" }, label);
      node.addEventListener("mouseenter", () => { if (!state.isPinned) choose(q); });
      node.addEventListener("click", () => pin(q));
    });
    kind.keys.forEach((label, k) => {
      const weight = state.query >= 0 ? weights[state.query * keys + k] : 1;
      const shown = state.query >= 0 && weight >= state.least ? `${label}  ${weight.toFixed(3)}` : label;
      svg("text", { x: end + 8, y: middle(k) + 5, class: weight < state.least ? "far" : "" }, shown);
    });
  };

  // --- Images ------------------------------------------------------------------------------------------------------------------------

  const picture = element("picture"), source = new Image();
  const drawImage = (weights) => {
    const image = data.examples[state.example].image, kind = current(), keys = kind.keys.length, first = keys - image.rows * image.columns;
    const side = Math.max(8, Math.floor(448 / Math.max(image.rows, image.columns)));
    picture.width = side * image.columns;
    picture.height = side * image.rows;
    const context = picture.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.filter = "grayscale(1)";
    context.drawImage(source, 0, 0, picture.width, picture.height);
    context.filter = "none";
    const query = state.query >= 0 ? state.query : first > 0 ? 0 : -1;
    const shown = new Float32Array(keys - first);
    for (let k = first; k < keys; ++k) {
      if (query >= 0) shown[k - first] = weights[query * keys + k];
      else for (let q = 0; q < keys; ++q) shown[k - first] += weights[q * keys + k] / keys;
    }
    const most = Math.max(1e-6, ...shown);
    shown.forEach((weight, i) => {
      const [red, green, blue] = colorOn(heat, weight / most);
      context.fillStyle = `rgba(${red},${green},${blue},0.55)`;
      context.fillRect((i % image.columns) * side, Math.floor(i / image.columns) * side, side, side);
    });
    if (query < first) return;
    context.strokeStyle = "#ffffff";
    context.lineWidth = 3;
    context.strokeRect(((query - first) % image.columns) * side + 1, Math.floor((query - first) / image.columns) * side + 1, side - 2, side - 2);
  };

  // --- What is chosen ----------------------------------------------------------------------------------------------------------------

  const nameOfHead = () => (state.head < 0 ? "mean of heads" : `head ${current().heads[state.head]}`);
  const describe = (weights) => {
    const kind = current(), place = `${kind.kind} attention, layer ${kind.layers[state.layer]}, ${nameOfHead()}`;
    if (state.query < 0) return place;
    const row = [...weights.subarray(state.query * kind.keys.length, (state.query + 1) * kind.keys.length)];
    const best = row.map((weight, k) => [weight, k]).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, 3);
    return `${place}: ${rowLabels(kind)[state.query]} looks at ${best.map(([weight, k]) => `${kind.keys[k]} ${weight.toFixed(3)}`).join(", ")}`;
  };
  // What a picture that says little has to say: weights that are all alike, or a token that has most of them.
  const noteOf = (weights) => {
    const kind = current(), queries = kind.queries.length, keys = kind.keys.length, received = new Float64Array(keys);
    let spread = 0, asking = 0, seen = 0;
    for (let q = 0; q < queries; ++q) {
      let entropy = 0, open = 0;  // a key of weight 0 may not be looked at
      for (let k = 0; k < keys; ++k) {
        const weight = weights[q * keys + k];
        if (weight <= 0) continue;
        entropy -= weight * Math.log(weight);
        ++open;
        received[k] += weight / queries;
      }
      if (open < 2) continue;
      spread += entropy / Math.log(open);
      seen += open;
      ++asking;
    }
    if (asking === 0 || keys < 3) return "";
    const elsewhere = state.head < 0 && kind.heads.length > 1 ? "Choose one head instead of the mean, or another layer." : "Choose another head or layer.";
    if (spread / asking >= 0.95) {
      return `This picture is flat: each row spreads its weight almost evenly over about ${Math.round(seen / asking)} tokens, near ${(asking / seen).toFixed(3)} on each. Differences in colour mean little. ${elsewhere}`;
    }
    const sink = received.indexOf(Math.max(...received));
    if (received[sink] < 0.5) return "";
    return `${kind.keys[sink]} (token ${sink}) receives ${(100 * received[sink]).toFixed(0)} % of all weight, so the other columns look pale. Such a token is called a sink: heads rest there when they have nothing to look for. ${elsewhere}`;
  };
  // The address says what is shown, by the names that the selects have.
  const address = () => {
    const kind = current(), head = state.head < 0 ? "mean" : kind.heads[state.head];
    const word = state.isPinned && state.query >= 0 ? `&word=${state.query}` : "";
    return `#example=${data.examples[state.example].number}&kind=${kind.kind}&layer=${kind.layers[state.layer]}&head=${head}${word}`;
  };
  const keepAddress = () => {
    if (location.hash !== address()) history.replaceState(null, "", address());
  };
  // What is not there stays as it is.
  const readAddress = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const choose = (name, values) => {
      const at = values.findIndex((value) => String(value) === asked.get(name));
      if (at >= 0) state[name] = at;
    };
    choose("example", data.examples.map((example) => example.number));
    choose("kind", kindsOf().map((kind) => kind.kind));
    state.kind = clamp(state.kind, 0, kindsOf().length - 1);
    choose("layer", current().layers);
    choose("head", current().heads);
    if (asked.get("head") === "mean") state.head = -1;
    const word = asked.has("word") ? Number(asked.get("word")) : -1;
    refill(Number.isInteger(word) && word >= 0 && word < current().queries.length ? word : -1);
  };
  const draw = () => {
    const weights = chosenWeights(), isImage = data.examples[state.example].image !== undefined;
    drawMatrix(weights);
    lines.toggleAttribute("hidden", isImage);
    picture.hidden = !isImage;
    element("second").textContent = isImage ? "Where the patch looks" : "Lines between words";
    if (isImage) drawImage(weights);
    else drawLines(weights);
    if (!isImage && lines.querySelector("line") === null) {
      element("second").textContent += `: no weight reaches ${state.least.toFixed(2)} (lower the limit of the lines)`;
    }
    element("status").textContent = describe(weights);
    element("note").textContent = noteOf(weights);
    keepAddress();
  };
  const choose = (query) => { state.query = query; draw(); };
  const pin = (query) => {
    state.isPinned = !(state.isPinned && state.query === query);
    choose(state.isPinned ? query : -1);
  };
  const fill = (id, names, value) => {
    element(id).replaceChildren(...names.map(([key, words]) => new Option(words, key)));
    element(id).value = value;
  };
  const clamp = (value, least, most) => Math.max(least, Math.min(most, value));
  // Another example or kind may have fewer of everything.
  const refill = (query = -1) => {
    state.kind = clamp(state.kind, 0, kindsOf().length - 1);
    const kind = current();
    state.layer = clamp(state.layer, 0, kind.layers.length - 1);
    state.head = clamp(state.head, kind.heads.length > 1 ? -1 : 0, kind.heads.length - 1);
    state.query = query;
    state.isPinned = query >= 0;
    fill("example", data.examples.map((example, i) => [i, `${example.number}: ${example.name}`]), state.example);
    fill("kind", kindsOf().map((each, i) => [i, each.kind]), state.kind);
    fill("layer", kind.layers.map((layer, i) => [i, layer]), state.layer);
    fill("head", (kind.heads.length > 1 ? [[-1, "mean"]] : []).concat(kind.heads.map((head, i) => [i, head])), state.head);
    const image = data.examples[state.example].image;
    if (image !== undefined && source.src !== image.source) source.src = image.source;
    draw();
  };
  const set = (name, value) => {
    state[name] = value;
    if (name === "example" || name === "kind") return refill();
    element(name).value = value;
    draw();
  };
  const step = (name, by) => {
    const kind = current();
    const [least, count] = { example: [0, data.examples.length], kind: [0, kindsOf().length], layer: [0, kind.layers.length],
      head: [kind.heads.length > 1 ? -1 : 0, kind.heads.length] }[name];
    set(name, clamp(state[name] + by, least, count - 1));
  };

  for (const name of ["example", "kind", "layer", "head"]) element(name).addEventListener("change", (event) => set(name, Number(event.target.value)));
  element("least").addEventListener("input", (event) => {
    state.least = Number(event.target.value);
    element("least-value").textContent = state.least.toFixed(2);
    draw();
  });
  const toggleTheme = () => {
    document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
    draw();
  };
  element("theme").addEventListener("click", toggleTheme);
  element("link").addEventListener("click", () => {
    const copied = navigator.clipboard === undefined ? Promise.reject() : navigator.clipboard.writeText(location.href);
    copied.then(() => { element("status").textContent = "The link is copied."; }, () => { element("status").textContent = location.href; });
  });
  window.addEventListener("resize", draw);
  window.addEventListener("hashchange", () => { if (location.hash !== address()) readAddress(); });
  const cellAt = (event) => {
    const box = matrix.getBoundingClientRect(), kind = current();
    const q = Math.floor((event.clientY - box.top - layout.top) / layout.cell), k = Math.floor((event.clientX - box.left - layout.left) / layout.cell);
    return q >= 0 && q < kind.queries.length && k < kind.keys.length ? q : -1;
  };
  matrix.addEventListener("mousemove", (event) => { if (!state.isPinned && cellAt(event) !== state.query) choose(cellAt(event)); });
  matrix.addEventListener("click", (event) => { if (cellAt(event) >= 0) pin(cellAt(event)); });
  for (const node of [matrix, lines]) node.addEventListener("mouseleave", () => { if (!state.isPinned) choose(-1); });
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect(), image = data.examples[state.example].image, first = current().keys.length - image.rows * image.columns;
    const row = Math.floor(((event.clientY - box.top) / box.height) * image.rows), column = Math.floor(((event.clientX - box.left) / box.width) * image.columns);
    pin(first + clamp(row, 0, image.rows - 1) * image.columns + clamp(column, 0, image.columns - 1));
  });
  source.addEventListener("load", draw);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT" || event.target.tagName === "INPUT") return;
    const word = (by) => {
      state.isPinned = true;
      choose(clamp(state.query + by, 0, current().queries.length - 1));
    };
    const actions = {
      ArrowUp: () => step("layer", -1), ArrowDown: () => step("layer", 1), ArrowLeft: () => step("head", -1), ArrowRight: () => step("head", 1),
      "[": () => step("example", -1), "]": () => step("example", 1), k: () => set("kind", (state.kind + 1) % kindsOf().length),
      n: () => word(1), p: () => word(-1), t: toggleTheme, Escape: () => { state.isPinned = false; choose(-1); },
    };
    if (actions[event.key] === undefined) return;
    event.preventDefault();
    actions[event.key]();
  });

  document.documentElement.dataset.theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  readAddress();
})();
