// Steps through the highlights of a text. They are Streamlit's own and may be drawn after this is,
// and anew at any time: so they are looked up at every step, and counted by the server.

const MARK = ".stMarkdownColoredBackground";

function button(label, sign, onclick) {
  const made = Object.assign(document.createElement("button"), { type: "button", title: label, onclick });
  made.textContent = sign;
  made.setAttribute("aria-label", label);
  return made;
}

class Stepper {
  constructor(host) {
    this.host = host;
    this.told = document.createElement("span");
    this.told.className = "told";
    this.told.setAttribute("role", "status");
    host.replaceChildren(
      this.told,
      button("Previous match", "‹", () => this.step(-1)),
      button("Next match", "›", () => this.step(1)),
    );
  }

  update(data) {
    const same = this.data?.text === data.text && this.data.marks === data.marks;
    this.data = data;
    if (same) return;
    this.at = null;
    this.unmark();
    this.told.textContent = data.marks === 1 ? "1 match" : `${data.marks} matches`;
  }

  get text() {
    return this.host.closest(`.st-key-${this.data.within}`);
  }

  // An attribute, since Streamlit writes the classes of its elements itself.
  unmark() {
    for (const mark of this.text.querySelectorAll(`${MARK}[aria-current]`)) {
      mark.removeAttribute("aria-current");
    }
  }

  step(by) {
    const marks = [...this.text.querySelectorAll(MARK)];
    if (!marks.length) return;
    const from = this.at ?? (by > 0 ? -1 : 0);
    this.at = (from + by + marks.length) % marks.length;
    this.unmark();
    marks[this.at].setAttribute("aria-current", "true");
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    marks[this.at].scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
    this.told.textContent = `match ${this.at + 1} of ${marks.length}`;
  }
}

const steppers = new WeakMap();

export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".papersky-stepper");
  if (!steppers.has(host)) steppers.set(host, new Stepper(host));
  steppers.get(host).update(data);
}
