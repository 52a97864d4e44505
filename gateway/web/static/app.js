// What the pages do beyond plain HTML: keys, clause selection, counters, live bytes. Everything works without it, by mouse.
"use strict";
(() => {
  const MAX_BYTES = 2048;
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const typing = (node) => node.matches("textarea, select, input:not([type=checkbox]):not([type=radio])") || node.isContentEditable;

  // Counters run on the reader's clock; the server's word decides.
  function tick() {
    for (const node of all("time[data-until]")) {
      const left = Math.floor((Date.parse(node.dataset.until) - Date.now()) / 1000);
      const two = (n) => String(n).padStart(2, "0");
      const hours = Math.floor(left / 3600);
      const text = left <= 0 ? node.dataset.over : (hours ? hours + ":" : "") + two(Math.floor(left / 60) % 60) + ":" + two(left % 60);
      if (node.textContent !== text) node.textContent = text;
      node.classList.toggle("hot", left < 300);
    }
  }

  // One press is one press: the buttons rest as soon as a form leaves. The server counts presses too.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
    setTimeout(() => all("button", form).forEach((button) => { button.disabled = true; }), 0);
  });
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // Clauses and their evidence.
  function select(number, jump) {
    for (const node of all("[data-claim]")) {
      if (node.dataset.claim === number) node.setAttribute("aria-current", "true"); else node.removeAttribute("aria-current");
    }
    for (const node of all("[data-detail]")) {
      node.toggleAttribute("data-on", node.dataset.detail === number);
      if (node.dataset.detail === number) node.open = true;
      if (jump && node.dataset.detail === number) node.scrollIntoView({ block: "nearest" });
    }
  }
  document.addEventListener("click", (event) => {
    const clause = event.target.closest("[data-claim]");
    if (clause) { event.preventDefault(); select(clause.dataset.claim, true); return; }
    const opener = event.target.closest("[data-open]");
    if (opener) { find(opener.dataset.open)?.showModal(); return; }
    const copier = event.target.closest("[data-copy]");
    if (copier) { copy(copier); return; }
    const switcher = event.target.closest("[data-panel]");
    if (switcher) openPanel(switcher);
  });
  function openPanel(switcher) {
    const panel = find(switcher.dataset.panel);
    for (const other of all("details.pop[open]")) other.open = false;
    for (const other of all("details.panel[open]")) if (other !== panel) other.open = false;
    for (const other of all("[data-panel]")) other.setAttribute("aria-expanded", String(other === switcher));
    panel.open = true;
    const field = find("textarea, input[type=radio]:checked, input:not([type=hidden])", panel);
    field?.focus();
    if (field?.setSelectionRange && field.tagName === "TEXTAREA") field.setSelectionRange(field.value.length, field.value.length);
    panel.scrollIntoView({ block: "nearest" });
  }

  async function copy(button) {
    const source = find(button.dataset.copy);
    try { await navigator.clipboard.writeText(source.value); } catch { source.select(); document.execCommand("copy"); button.focus(); }
    button.firstChild.textContent = button.dataset.done + " ";
  }

  // Bytes as they are written.
  function count(area) {
    const out = find(area.dataset.count);
    const bytes = new TextEncoder().encode(area.value.replace(/\r\n?/g, "\n")).length;
    out.textContent = bytes + " / " + MAX_BYTES + " B";
    out.classList.toggle("over", bytes > MAX_BYTES);
  }
  document.addEventListener("input", (event) => { if (event.target.matches?.("[data-count]")) count(event.target); });

  // Lists by key.
  function items() { return all("[data-list] > [data-item]"); }
  function move(step) {
    const rows = items();
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.contains(document.activeElement) || row.hasAttribute("data-on"));
    const next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    rows.forEach((row) => row.toggleAttribute("data-on", row === next));
    find("[data-link]", next)?.focus();
  }
  function beside(step) {
    const links = all("[data-beside]");
    const at = links.findIndex((link) => link.hasAttribute("data-here"));
    links[at < 0 ? 0 : at + step]?.click();
  }
  function clause(step) {
    const links = all("[data-claim]");
    if (!links.length) return;
    const at = links.findIndex((link) => link.hasAttribute("aria-current"));
    const next = links[(at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step + links.length) % links.length];
    select(next.dataset.claim, true);
    next.focus();
  }
  function press(key) {
    const target = find('[data-key="' + key + '"]:not([disabled])');
    if (!target) return;
    if (target.dataset.panel) return openPanel(target);
    if (target.dataset.copy) return copy(target);
    if (target.tagName === "TEXTAREA") return target.focus();
    if (target.tagName === "SUMMARY") { target.parentNode.open = true; find("select", target.parentNode)?.focus(); return; }
    // What sends to a customer needs a second key; what only takes back or takes over does not.
    if (key === "a") { target.scrollIntoView({ block: "nearest" }); (find("input[required]:not(:checked)", target.form) || target).focus(); return; }
    target.form.requestSubmit(target);
  }

  const places = { q: "/", d: "/deliveries", c: "/conversations", s: "/statistics" };
  let going = 0;
  document.addEventListener("keydown", (event) => {
    const node = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const form = node.closest?.("form[data-writing]");
      if (form) { event.preventDefault(); form.requestSubmit(); }
      return;
    }
    if (event.key === "Escape") {
      const panel = node.closest?.("details.panel[open], details.pop[open], details.menu[open]");
      if (typing(node)) node.blur();
      else if (panel) panel.open = false;
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(node) || find("dialog[open]")) return;
    if (going && Date.now() - going < 1500 && places[event.key]) { location.assign(places[event.key]); return; }
    going = 0;
    const on = !!find(".desk");
    switch (event.key) {
      case "?": find("#keys")?.showModal(); break;
      case "g": going = Date.now(); break;
      case "/": find("#search")?.focus(); break;
      case "j": on ? beside(1) : move(1); break;
      case "k": on ? beside(-1) : move(-1); break;
      case "x": find("[data-item][data-on] [data-tick]")?.click(); return;
      case "]": clause(1); break;
      case "[": clause(-1); break;
      case "n": find("[data-next]") ? find("[data-next]").click() : beside(1); break;
      case "a": case "e": case "r": case "m": case "t": case "h": case "u": case "c": press(event.key); break;
      default: return;
    }
    event.preventDefault();
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest?.("[data-item]");
    if (row) items().forEach((other) => other.toggleAttribute("data-on", other === row));
  });

  function ready() {
    tick();
    setInterval(tick, 1000);
    all("[data-count]").forEach(count);
    for (const talk of all("[data-talk]")) talk.scrollTop = talk.scrollHeight;
    const worst = find(".clause.contradicted, .clause.stale, .clause.unsupported");
    if (worst) select(worst.dataset.claim, false);
    if (!find("[autofocus]")) find("#outcome")?.focus();
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", ready); else ready();
})();
