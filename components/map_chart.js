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
  host.on("plotly_deselect", () => setTriggerValue("selected", []));
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
    },
    (error) => {
      host.textContent = `The map cannot be drawn: ${error.message}.`;
    },
  );
}
