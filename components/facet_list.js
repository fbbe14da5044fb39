// One facet: a list of values to choose from, or a histogram over which one drags.

const SEARCH_ABOVE = 14;

function element(tag, props, ...children) {
  const { style, dataset, aria, ...plain } = props;
  const made = Object.assign(document.createElement(tag), plain);
  for (const [name, value] of Object.entries(aria ?? {})) made.setAttribute(`aria-${name}`, value);
  Object.assign(made.dataset, dataset ?? {});
  for (const [name, value] of Object.entries(style ?? {})) made.style.setProperty(name, value);
  made.append(...children);
  return made;
}

const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

class FacetList {
  constructor(host) {
    this.host = host;
    this.sought = "";
    this.open = false;
    this.order = [];
    this.rows = new Map();
    // Values without papers sink only once the pointer has left all the facets, since a list that
    // becomes shorter moves those below it: nothing moves below a click.
    this.area = host.closest("[data-testid=stSidebar]") ?? host;
    const settle = () => {
      if (host.isConnected) this.draw();
      else this.area.removeEventListener("mouseleave", settle);
    };
    this.area.addEventListener("mouseleave", settle);
  }

  update(data, send, color) {
    const same = this.data && this.data.values.every((v, i) => v.value === data.values[i]?.value);
    if (!same || this.data.values.length !== data.values.length || this.data.ranged !== data.ranged) {
      this.build(data);
    }
    this.data = data;
    this.send = send;
    this.color = color;
    this.draw();
  }

  get busy() {
    return this.area.matches(":hover") || this.area.querySelector(".papersky-facet :focus-visible");
  }

  get chosen() {
    return this.data.values.filter((v) => v.chosen).map((v) => v.value);
  }

  choose(values) {
    const wanted = new Set(values);
    // Shown at once; the dashboard's answer brings the new counts.
    for (const value of this.data.values) value.chosen = wanted.has(value.value);
    this.draw();
    this.send([...wanted]);
  }

  build(data) {
    this.rows.clear();
    this.order = [];
    this.clear = element("button", {
      type: "button",
      className: "clear",
      textContent: "clear",
      onclick: () => this.choose([]),
    });
    this.colored = element("button", {
      type: "button",
      className: "color",
      title: "Colour the map by this",
      aria: { label: `Colour the map by ${data.label}` },
      onclick: () => this.color(),
    });
    const heading = element(
      "div",
      { className: "heading" },
      element("span", { className: "name", textContent: data.label }),
      this.clear,
      this.colored,
    );
    this.ranged = data.ranged;
    this.body = element("div", { className: this.ranged ? "bars" : "values" });
    this.body.setAttribute("role", "group");
    this.body.setAttribute("aria-label", data.label);
    const parts = [this.body];
    if (this.ranged) parts.push(this.buildSliders(data));
    else if (data.values.length > SEARCH_ABOVE) {
      parts.unshift(
        element("input", {
          type: "search",
          placeholder: `Find among ${data.values.length}`,
          aria: { label: `Find in ${data.label}` },
          value: this.sought,
          oninput: (event) => {
            this.sought = event.target.value;
            this.draw();
          },
          // Escape empties the box, and closes nothing else.
          onkeydown: (event) => event.stopPropagation(),
        }),
      );
    }
    this.fold = element("button", {
      type: "button",
      className: "fold",
      onclick: () => {
        this.open = !this.open;
        this.draw();
      },
    });
    // What is pressed first must be the first value: so the heading comes last, and is shown first.
    this.host.replaceChildren(...parts, this.fold, heading);
  }

  // A list

  row(value) {
    const toggle = element(
      "button",
      { type: "button", className: "value", onclick: () => this.toggle(value.value) },
      element("span", { className: "label", textContent: value.label }),
      element("span", { className: "count" }),
    );
    toggle.prepend(element("span", { className: "dot" }));
    const only = element("button", {
      type: "button",
      textContent: "only",
      aria: { label: `Only ${value.label}` },
      onclick: () => this.choose([value.value]),
    });
    const but = element("button", {
      type: "button",
      textContent: "all but",
      aria: { label: `All but ${value.label}` },
      onclick: () =>
        this.choose(this.data.values.map((v) => v.value).filter((v) => v !== value.value)),
    });
    const quick = element("span", { className: "quick" }, only, but);
    return element("div", { className: "row" }, toggle, quick);
  }

  toggle(value) {
    const chosen = this.chosen;
    this.choose(chosen.includes(value) ? chosen.filter((v) => v !== value) : [...chosen, value]);
  }

  draw() {
    this.colored.hidden = !this.data.colorable;
    this.colored.setAttribute("aria-pressed", String(this.data.colors));
    this.clear.hidden = !this.chosen.length;
    this.fold.hidden = true;
    if (this.ranged) this.drawBars();
    else this.drawValues();
  }

  drawValues() {
    const { values } = this.data;
    if (!this.order.length || !this.busy) {
      const sinks = (v) => !v.count && !v.chosen;
      this.order = [...values.filter((v) => !sinks(v)), ...values.filter(sinks)].map((v) => v.value);
      this.sunk = new Set(values.filter(sinks).map((v) => v.value));
    }
    const known = new Map(values.map((v) => [v.value, v]));
    const sought = folded(this.sought.trim());
    let hidden = 0;
    const shown = [];
    for (const name of this.order) {
      const value = known.get(name);
      if (sought && !folded(value.label).includes(sought)) continue;
      if (!sought && this.sunk.has(name) && !value.chosen && !this.open) {
        hidden += 1;
        continue;
      }
      if (!this.rows.has(name)) this.rows.set(name, this.row(value));
      const row = this.rows.get(name);
      const toggle = row.firstChild;
      toggle.setAttribute("aria-pressed", String(value.chosen));
      toggle.firstChild.hidden = !value.color;
      toggle.firstChild.style.background = value.color;
      toggle.querySelector(".count").textContent = value.count.toLocaleString("en");
      row.classList.toggle("without", !value.count);
      shown.push(row);
    }
    const now = [...this.body.children];
    if (now.length !== shown.length || now.some((row, i) => row !== shown[i])) {
      this.body.replaceChildren(...shown);
    }
    const foldable = !sought && this.sunk.size > 0;
    this.fold.hidden = !foldable || (!hidden && !this.open);
    this.fold.textContent = this.open ? "fold those without papers" : `${hidden} without papers`;
  }

  // A histogram

  buildSliders(data) {
    const last = data.values.length - 1;
    this.from = element("input", { type: "range", min: 0, max: last, aria: { label: `${data.label} from` } });
    this.to = element("input", { type: "range", min: 0, max: last, aria: { label: `${data.label} to` } });
    for (const end of [this.from, this.to]) {
      end.onchange = () => this.range(+this.from.value, +this.to.value);
      end.oninput = () => this.mark(+this.from.value, +this.to.value);
      end.onkeydown = (event) => event.stopPropagation();
    }
    this.told = element("span", { className: "told" });
    return element(
      "div",
      { className: "slider" },
      element("div", { className: "ends" }, this.from, this.to),
      this.told,
    );
  }

  range(a, b) {
    const [low, high] = a < b ? [a, b] : [b, a];
    const values = this.data.values.slice(low, high + 1).map((v) => v.value);
    this.choose(values.length === this.data.values.length ? [] : values);
  }

  mark(a, b) {
    const [low, high] = a < b ? [a, b] : [b, a];
    [...this.body.children].forEach((bar, i) => bar.classList.toggle("out", i < low || i > high));
    const { values } = this.data;
    this.told.textContent = low === high ? values[low].label : `${values[low].from} – ${values[high].to}`;
  }

  bar(value, i) {
    const bar = element("button", { type: "button", className: "bar", tabIndex: -1 }, element("span", {}));
    bar.onpointerdown = (event) => {
      bar.releasePointerCapture(event.pointerId);
      this.from.value = this.to.value = i;
      this.dragged = i;
      this.mark(i, i);
      addEventListener("pointerup", () => {
        if (this.dragged === undefined) return;
        this.dragged = undefined;
        this.range(+this.from.value, +this.to.value);
      }, { once: true });
    };
    bar.onpointerenter = () => {
      if (this.dragged === undefined) return;
      this.from.value = Math.min(this.dragged, i);
      this.to.value = Math.max(this.dragged, i);
      this.mark(this.dragged, i);
    };
    return bar;
  }

  drawBars() {
    const { values } = this.data;
    if (!this.body.children.length) this.body.append(...values.map((v, i) => this.bar(v, i)));
    const most = Math.max(1, ...values.map((v) => v.count));
    values.forEach((value, i) => {
      const bar = this.body.children[i];
      bar.title = `${value.label}: ${value.count.toLocaleString("en")}`;
      bar.setAttribute("aria-label", bar.title);
      bar.firstChild.style.background = value.color;
      bar.firstChild.style.height = `${value.count ? Math.max(6, (100 * value.count) / most) : 0}%`;
    });
    if (this.dragged !== undefined) return;
    const chosen = values.flatMap((v, i) => (v.chosen ? [i] : []));
    const low = chosen[0] ?? 0;
    const high = chosen.at(-1) ?? values.length - 1;
    this.from.value = low;
    this.to.value = high;
    this.mark(low, high);
    if (chosen.length) {
      [...this.body.children].forEach((bar, i) => bar.classList.toggle("out", !values[i].chosen));
    }
  }
}

const lists = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".papersky-facet");
  if (!lists.has(host)) lists.set(host, new FacetList(host));
  lists.get(host).update(
    data,
    (chosen) => setTriggerValue("chosen", chosen),
    () => setTriggerValue("color", true),
  );
}
