// The view of how sizes changed since an earlier report or older bundles.
const since = (() => {
  const PLOT_MAX = 20,
    LABEL_MAX = 34;
  const change = (row, key) => (row.after ? row.after[key] : 0) - (row.before ? row.before[key] : 0);
  const signed = (bytes) =>
    bytes === 0 ? "0 B" : (bytes > 0 ? "+" : "−") + format.size(Math.abs(bytes));
  const tone = (bytes) => make("span" + (bytes > 0 ? ".warn" : bytes < 0 ? ".good" : ".faint"), {}, signed(bytes));

  function drawn(kind, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // The end of a long path says more than its beginning.
  const cut = (text) => {
    const characters = [...text];
    return characters.length <= LABEL_MAX ? text : "…" + characters.slice(1 - LABEL_MAX).join("");
  };

  // Two bars per folder: stored bytes before and after. The rows are sorted by the program: largest change first.
  function plot(rows, label) {
    const shown = rows.slice(0, PLOT_MAX),
      whole = Math.max(1, ...shown.flatMap((row) => [row.before.stored_bytes, row.after.stored_bytes]));
    const svg = drawn("svg", {
      class: "plot",
      viewBox: "0 0 960 " + (shown.length * 30 + 6),
      role: "img",
      "aria-label": "Stored bytes before and after, by folder",
    });
    shown.forEach((row, i) => {
      const y = i * 30 + 4,
        width = (sum) => ((520 * sum.stored_bytes) / whole).toFixed(1);
      svg.append(
        drawn("text", { x: 292, y: y + 16, "text-anchor": "end" }, cut(label(row))),
        drawn("rect", { class: "before", x: 300, y, width: width(row.before), height: 10 }),
        drawn("rect", { class: "after", x: 300, y: y + 11, width: width(row.after), height: 10 }),
        drawn("text", { x: 832, y: y + 16 }, signed(change(row, "stored_bytes"))),
      );
    });
    return svg;
  }

  const sizes = () => [
    { title: "stored before", number: true, cell: (row) => (row.before ? format.size(row.before.stored_bytes) : "") },
    { title: "stored after", number: true, cell: (row) => (row.after ? format.size(row.after.stored_bytes) : "") },
    { title: "stored", number: true, cell: (row) => tone(change(row, "stored_bytes")) },
    { title: "raw", number: true, cell: (row) => tone(change(row, "raw_bytes")) },
  ];
  const group = (title, changes, key, empty) =>
    parts.card(
      title,
      changes.total === 0
        ? parts.nothing("Nothing changed.")
        : parts.table(
            [
              { title: key, cell: (row) => make("span.name", {}, row[key] || empty) },
              { title: "assets", number: true, cell: (row) => row.before.assets + " → " + row.after.assets },
              ...sizes(),
            ],
            changes.list,
            50,
          ),
      parts.cut_note(changes),
    );

  const named = (asset) =>
    (asset.name || "/assets/" + format.id(asset.asset)) + (asset.tags ? " [" + asset.tags + "]" : "");
  const asset_name = (row) => [
    row.after && row.after.name ? parts.link(row.after.name) : make("span.name", {}, named(row.after || row.before)),
    row.after && row.after.tags ? make("span.faint", {}, "  [" + row.after.tags + "]") : null,
    row.change === "renamed" ? make("div.faint", {}, "was " + named(row.before)) : null,
  ];

  function view() {
    const found = facts.since;
    if (!found)
      return [
        parts.title("Since"),
        parts.card(
          null,
          make("p", {}, "This page was created without --since. Run:"),
          make("p", {}, make("code", {}, "fardel report BUNDLE --json -o before.json")),
          make("p", {}, make("code", {}, "fardel report BUNDLE --since before.json")),
        ),
      ];
    const step = (key) => format.size(found.before[key]) + " → " + format.size(found.after[key]);
    const kinds = ["added", "removed", "renamed", "changed", "repacked"];
    return [
      parts.title("Since " + found.files.join(", "), "Largest changes of stored bytes first."),
      make(
        "div.tiles",
        {},
        parts.tile(signed(change(found, "stored_bytes")), "stored: " + step("stored_bytes")),
        parts.tile(signed(change(found, "raw_bytes")), "raw: " + step("raw_bytes")),
        kinds.map((kind) => parts.tile(format.count(found[kind]), kind)),
      ),
      found.folders.total > 0 &&
        parts.card(
          "Stored bytes by folder",
          plot(found.folders.list, (row) => row.folder + "/"),
          make(
            "div.legend",
            {},
            make("span", {}, make("i.dot.before"), "before"),
            make("span", {}, make("i.dot.after"), "after"),
          ),
          found.folders.total > PLOT_MAX ? parts.note("The " + PLOT_MAX + " folders that changed most.") : null,
        ),
      parts.card(
        "Assets",
        found.assets.total === 0
          ? parts.nothing("No asset changed.")
          : parts.table(
              [
                { title: "name", cell: asset_name },
                { title: "", narrow: true, cell: (row) => make("span.badge", {}, row.change) },
                { title: "owner", cell: (row) => (row.after || row.before).owner },
                ...sizes(),
              ],
              found.assets.list,
              100,
            ),
        parts.cut_note(found.assets),
      ),
      group("By folder", found.folders, "folder", "(no folder)"),
      group("By type", found.types, "type", "(no type)"),
      group("By owner", found.owners, "owner", "(no owner)"),
    ];
  }

  return { view, change };
})();
