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

function hasWebGL() {
  return document.createElement("canvas").getContext("webgl") !== null;
}

function listen(host, setTriggerValue) {
  host.on("plotly_click", ({ points }) => {
    const paper = points.find((point) => point.customdata !== undefined);
    if (paper) setTriggerValue("opened", paper.customdata);
  });
  host.on("plotly_selected", (event) => {
    if (event) setTriggerValue("selected", ids(event.points));
  });
  host.on("plotly_afterplot", () => declutter(host));
  host.on("plotly_deselect", () => setTriggerValue("selected", []));
}

// Names of topics stay inside the map and never lie over one another: the first ones win.
function declutter(host) {
  const frame = host.getBoundingClientRect();
  const shown = [];
  for (const label of host.querySelectorAll(".annotation")) {
    label.style.transform = "";
    const box = label.getBoundingClientRect();
    const inside = Math.max(frame.left - box.left, Math.min(0, frame.right - box.right));
    const place = { left: box.left + inside, right: box.right + inside, top: box.top, bottom: box.bottom };
    const hidden = !overlap(box, frame) || shown.some((other) => overlap(place, other));
    label.style.transform = `translateX(${inside}px)`;
    label.style.visibility = hidden ? "hidden" : "";
    if (!hidden) shown.push(place);
  }
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function ids(points) {
  return points.map((point) => point.customdata).filter((id) => id !== undefined);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".papersky-map");
  host.setAttribute("aria-label", data.description);
  const figure = JSON.parse(data.figure);
  if (!hasWebGL()) {
    for (const trace of figure.data) trace.type = "scatter";
  }
  // What the reader drew stays only for as long as the dashboard holds the selection.
  if (data.selected && host.layout) figure.layout.selections = host.layout.selections;
  if (host.layout) figure.layout.dragmode = host.layout.dragmode;
  loadPlotly(data.plotly).then(
    async (Plotly) => {
      const first = !host.layout;
      await Plotly.react(host, figure.data, figure.layout, CONFIG);
      if (first) listen(host, setTriggerValue);
      declutter(host);
    },
    (error) => {
      host.textContent = `The map cannot be drawn: ${error.message}.`;
    },
  );
}
