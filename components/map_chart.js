const CONFIG = {
  displaylogo: false,
  displayModeBar: true,
  doubleClick: "reset",
  modeBarButtons: [
    ["pan2d", "lasso2d", "select2d"],
    ["zoomIn2d", "zoomOut2d", "resetScale2d"],
  ],
  responsive: true,
  scrollZoom: true,
};

// Part of the map's width in view at which the names of finer topics appear.
const ZOOMED_IN = 0.6;

let loading;

function loadPlotly(url) {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error(`${url} cannot be loaded`));
    document.head.append(script);
  });
  return loading;
}

let fetched = {};

// What never changes of a map is fetched once, however often the map is drawn.
function fetchDots(url) {
  if (fetched.url !== url) fetched = { url, dots: readDots(url) };
  return fetched.dots;
}

async function readDots(url) {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error("another one has taken its place; reload the page");
    return (await response.json()).data[0];
  } catch (error) {
    fetched = {};
    throw error;
  }
}

function hasWebGL() {
  return document.createElement("canvas").getContext("webgl") !== null;
}

const SETTLED_MS = 350;

function listen(Plotly, host, setTriggerValue) {
  let how = "replace";
  let timer;
  // Plotly would join what is drawn to its own memory of outlines; the dashboard's is the one that
  // counts, so Plotly is not told which keys are held.
  host.addEventListener(
    "mousedown",
    (event) => {
      if (!["lasso", "select"].includes(host._fullLayout.dragmode) || !event.isTrusted) return;
      how = event.altKey ? "subtract" : event.shiftKey ? "add" : "replace";
      if (how === "replace") return;
      event.stopImmediatePropagation();
      event.preventDefault();
      const { bubbles, button, buttons, cancelable, clientX, clientY, view } = event;
      const plain = { bubbles, button, buttons, cancelable, clientX, clientY, view };
      event.target.dispatchEvent(new MouseEvent("mousedown", plain));
    },
    true,
  );
  host.on("plotly_click", ({ points }) => {
    const paper = points.find((point) => point.customdata !== undefined);
    if (paper) setTriggerValue("opened", paper.customdata);
  });
  host.on("plotly_selected", (event) => {
    const outline = event && drawn(event);
    if (!outline) return;
    setTriggerValue("drawn", { ...outline, how });
  });
  host.on("plotly_deselect", () => setTriggerValue("drawn", { how: "replace" }));
  host.on("plotly_afterplot", () => declutter(host));
  host.on("plotly_relayout", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      fitSize(Plotly, host);
      const now = seen(host);
      if (same(now, host.papersky.reported)) return;
      host.papersky.reported = now;
      setTriggerValue("moved", { view: same(now, host.papersky.home) ? null : now });
    }, SETTLED_MS);
  });
}

function drawn({ lassoPoints, range }) {
  if (lassoPoints) return { x: lassoPoints.x, y: lassoPoints.y };
  if (!range) return null;
  const [left, right] = range.x;
  const [top, bottom] = range.y;
  return { x: [left, right, right, left], y: [top, top, bottom, bottom] };
}

// The middle and the width of what is seen.
function seen(host) {
  const { xaxis, yaxis } = host._fullLayout;
  const [left, right] = xaxis.range;
  return [(left + right) / 2, (yaxis.range[0] + yaxis.range[1]) / 2, right - left];
}

function same(a, b) {
  return a.every((value, i) => Math.abs(value - b[i]) < 0.002 * b[2]);
}

async function look(Plotly, host, view) {
  const [x, y, width] = view ?? host.papersky.home;
  // A sliver of a height: Plotly makes it as high as the window allows.
  const height = width / 1000;
  await Plotly.relayout(host, {
    "xaxis.range": [x - width / 2, x + width / 2],
    "yaxis.range": [y - height / 2, y + height / 2],
  });
  host.papersky.reported = seen(host);
}

// Names of topics stay inside the map and never lie over one another: the first ones win. Those of
// finer topics wait until the reader comes closer.
function declutter(host) {
  const frame = host.getBoundingClientRect();
  const shown = [];
  const far = !zoomedIn(host);
  for (const label of host.querySelectorAll(".annotation")) {
    label.style.transform = "";
    const box = label.getBoundingClientRect();
    const inside = Math.max(frame.left - box.left, Math.min(0, frame.right - box.right));
    const place = { left: box.left + inside, right: box.right + inside, top: box.top, bottom: box.bottom };
    const fine = host.layout.annotations[label.dataset.index]?.name === "subtopic";
    const hidden = (fine && far) || !overlap(box, frame) || shown.some((other) => overlap(place, other));
    label.style.transform = `translateX(${inside}px)`;
    label.style.visibility = hidden ? "hidden" : "";
    if (!hidden) shown.push(place);
  }
}

function zoomedIn(host) {
  const [low, high] = host.layout.xaxis.range;
  return high - low < ZOOMED_IN * host.papersky.width;
}

// Dots are as large as fits how many are in view, and shine through one another where they crowd.
function sizeInView(host) {
  const { dot, largest, shrinking } = host.layout.meta;
  const { x, y } = host._fullData[0];
  const { xaxis, yaxis } = host._fullLayout;
  const [left, right] = xaxis.range;
  const [bottom, top] = yaxis.range;
  let inView = 0;
  for (let i = 0; i < x.length; i++) {
    if (x[i] >= left && x[i] <= right && y[i] >= bottom && y[i] <= top) inView += 1;
  }
  const growth = Math.min((Math.max(inView, 1) / Math.max(x.length, 1)) ** -shrinking, largest / dot);
  const covered = (inView * (Math.PI / 4) * (dot * growth) ** 2) / (host.clientWidth * host.clientHeight);
  return { growth: Math.max(growth, 1), opacity: Math.min(1, Math.max(0.4, 0.9 / covered)) };
}

function sized(traces, { growth, opacity }) {
  return traces.map((trace, i) => {
    const { marker } = trace;
    if (!marker) return trace;
    const grown = i ? { size: marker.size * growth } : { sizeref: marker.sizeref / growth, opacity };
    return { ...trace, marker: { ...marker, ...grown } };
  });
}

async function paint(Plotly, host) {
  const { data, layout } = host.papersky.figure;
  if (host.layout) {
    // What the reader's hand has moved stays; what it drew, the dashboard draws.
    layout.dragmode = host.layout.dragmode;
    layout.xaxis.range = [...host._fullLayout.xaxis.range];
    layout.yaxis.range = [...host._fullLayout.yaxis.range];
    layout.selections = [];
    layout.selectionrevision = host.papersky.draws += 1;
  }
  await Plotly.react(host, sized(data, host.papersky.size), layout, CONFIG);
}

async function fitSize(Plotly, host) {
  const size = sizeInView(host);
  const before = host.papersky.size;
  if (Math.abs(size.growth / before.growth - 1) + Math.abs(size.opacity - before.opacity) < 0.05) return;
  host.papersky.size = size;
  await paint(Plotly, host);
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".papersky-map");
  host.setAttribute("aria-label", data.description);
  const figure = JSON.parse(data.figure);
  const [low, high] = figure.layout.xaxis.range;
  host.papersky = { draws: 0, size: { growth: 1, opacity: 1 }, ...host.papersky, width: high - low };
  if (!hasWebGL()) {
    for (const trace of figure.data) trace.type = "scatter";
  }
  Promise.all([loadPlotly(data.plotly), fetchDots(data.dots)]).then(
    async ([Plotly, dots]) => {
      const { type } = figure.data[0];
      Object.assign(figure.data[0], dots, { type });
      const first = !host.layout;
      host.papersky.figure = figure;
      await paint(Plotly, host);
      if (first) {
        Object.assign(host.papersky, { home: seen(host), reported: seen(host), viewSet: null });
        listen(Plotly, host, setTriggerValue);
      }
      if (host.papersky.viewSet !== data.view_set) {
        const moved = host.papersky.viewSet !== null || data.view;
        host.papersky.viewSet = data.view_set;
        if (moved) await look(Plotly, host, data.view);
      }
      await fitSize(Plotly, host);
      declutter(host);
    },
    (error) => {
      host.textContent = `The map cannot be drawn: ${error.message}.`;
    },
  );
}
