// Elements that several views use.
const parts = {
  title: (text, under) => [make("h1", {}, text), under ? make("p.faint", {}, under) : null],
  card: (title, ...content) => make("section.card", {}, title ? make("h2", {}, title) : null, ...content),
  tile: (figure, label, tone) =>
    make("div.tile", {}, make("b" + (tone ? "." + tone : ""), {}, figure), make("span", {}, label)),
  note: (text) => make("p.note", {}, text),
  dot: (kind) => make("i.dot." + kind, { "aria-hidden": "true" }),
  typed: (type) => [parts.dot(facts.kindOf(type)), type],
  bundle: (index) =>
    facts.bundles[index] ? make("a", { href: "#/bundles/" + index }, facts.bundles[index].label) : "?",

  // A name, with a link to its asset if the page has it.
  link(text, bundle) {
    const name = facts.find(text, bundle);
    return name ? make("a.name", { href: address.name(name) }, text) : make("span.name", {}, text);
  },

  // A bar of which `whole` is the full width: raw bytes in the background, stored bytes in front.
  bar(stored, raw, whole) {
    const outer = make("i.outer"),
      inner = make("i");
    outer.style.width = (whole > 0 ? (100 * raw) / whole : 0) + "%";
    inner.style.width = (whole > 0 ? (100 * Math.min(stored, raw)) / whole : 0) + "%";
    return make(
      "span.bar",
      { role: "img", "aria-label": format.size(stored) + " stored of " + format.size(raw) },
      outer,
      inner,
    );
  },

  // columns: [{ title, number, cell(row) }]. Shows at most `limit` rows; a button shows the others.
  table(columns, rows, limit = 200) {
    const body = make("tbody");
    const line = (row) =>
      make(
        "tr",
        {},
        columns.map((column) =>
          make("td" + (column.number ? ".number" : column.narrow ? ".narrow" : ""), {}, column.cell(row)),
        ),
      );
    const show = (from, to) => rows.slice(from, to).forEach((row) => body.append(line(row)));
    show(0, limit);
    const head = make(
      "tr",
      {},
      columns.map((column) => make("th" + (column.number ? ".number" : ""), { scope: "col" }, column.title)),
    );
    const table = make("div.scroll", {}, make("table", {}, make("thead", {}, head), body));
    if (rows.length <= limit) return table;
    const more = make("button", { type: "button" }, "Show all " + format.count(rows.length));
    more.addEventListener("click", () => {
      more.remove();
      show(limit, rows.length);
    });
    return [table, make("p.note", {}, more)];
  },

  // A note below a list that does not have all entries.
  cut_note: (list) =>
    list.total > list.list.length
      ? parts.note("This page contains " + format.count(list.list.length) + " of " + format.count(list.total) + ".")
      : null,
  left_out: () =>
    facts.names_left_out > 0
      ? parts.note(
          "The " +
            format.count(facts.names_left_out) +
            " smallest names are not listed one by one. They are summed up by folder and type, " +
            "and search does not find them.",
        )
      : null,
  nothing: (text) => make("p.good", {}, "✓ " + text),

  legend() {
    const kinds = {
      image: "images",
      audio: "sound",
      video: "video",
      model: "models",
      level: "levels",
      text: "text",
      font: "fonts",
      other: "other",
    };
    const there = new Set(facts.totals.map((total) => total.kind));
    return make(
      "div.legend",
      {},
      Object.entries(kinds)
        .filter(([kind]) => there.has(kind))
        .map(([kind, label]) => make("span", {}, parts.dot(kind), label)),
      facts.names_left_out > 0 ? make("span", {}, parts.dot("rest"), "smaller names, summed up") : null,
    );
  },
};
