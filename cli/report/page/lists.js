// Lists of assets: the largest, those with several names, and those that compress badly.
const lists = {
  sizes: (whole) => [
    { title: "raw", number: true, cell: (row) => format.size(row.raw) },
    { title: "stored", number: true, cell: (row) => format.size(row.stored) },
    { title: "stored/raw", number: true, cell: (row) => format.percent(row.stored, row.raw) },
    { title: "", cell: (row) => parts.bar(row.stored, row.raw, whole) },
  ],
  of_asset: () => [
    {
      title: "name",
      cell: (asset) =>
        asset.names.length
          ? parts.link(asset.names[0].text, asset.bundle)
          : make("a.id", { href: "#/id/" + asset.id }, format.id(asset.id)),
    },
    ...(facts.several ? [{ title: "bundle", cell: (asset) => parts.bundle(asset.bundle) }] : []),
    { title: "type", narrow: true, cell: (asset) => parts.typed(asset.type) },
  ],

  biggest() {
    const rows = [...facts.assets].sort((a, b) => b.raw - a.raw).slice(0, 1000);
    return [
      parts.title("Biggest assets", "By raw size. Stored is the size in the bundle."),
      parts.card(null, parts.table([...lists.of_asset(), ...lists.sizes(rows.length ? rows[0].raw : 0)], rows, 100)),
    ];
  },

  duplicates() {
    const rows = facts.duplicates.list;
    return [
      parts.title(
        "Duplicates",
        "Assets with several names. A bundle stores each of them once, which saves " +
          format.size(facts.duplicates.saved) +
          ".",
      ),
      lists.shared(),
      parts.card(
        null,
        rows.length === 0
          ? parts.nothing("Each asset has one name.")
          : parts.table(
              [
                { title: "asset", narrow: true, cell: ([id]) => make("a.id", { href: "#/id/" + id }, format.id(id)) },
                { title: "size", number: true, cell: ([, raw]) => format.size(raw) },
                { title: "names", number: true, cell: ([, , , count]) => format.count(count) },
                { title: "bundles", number: true, cell: ([, , copies]) => format.count(copies) },
                {
                  title: "names",
                  cell: ([, , , count, names]) => [
                    names.map(([bundle, name]) =>
                      make(
                        "div",
                        {},
                        parts.link(name, bundle),
                        facts.several ? make("span.faint", {}, "  in " + facts.bundles[bundle].label) : null,
                      ),
                    ),
                    count > names.length
                      ? make("div.faint", {}, "and " + format.count(count - names.length) + " more")
                      : null,
                  ],
                },
              ],
              rows,
              100,
            ),
        parts.cut_note(facts.duplicates),
      ),
    ];
  },

  // What several of the bundles store, and what their projects say so that one of them has it for all.
  shared() {
    const shared = facts.shared;
    if (!facts.several) return null;
    if (shared.total === 0) return parts.card("In several bundles", parts.nothing("No asset is in several bundles."));
    const label = (bundle) => facts.bundles[bundle].label;
    const fix = ([bundle, home, assets, raw, stored, depends, , lines]) => [
      make(
        "p",
        {},
        "The project of " + label(bundle) + " leaves out what " + label(home) + " has",
        depends ? ", on which it depends already: " : ", and depends on it: ",
        format.several(assets, "asset", "assets") + ", " + format.size(raw) + " raw, " + format.size(stored) +
          " stored. Its fardel.toml says:",
      ),
      make("pre.lines", {}, lines),
    ];
    return [
      parts.card(
        "In several bundles",
        make(
          "p",
          {},
          format.several(shared.total, "asset is", "assets are") +
            " stored by several of these bundles. All copies except the first cost " +
            format.size(shared.extra_raw) + " raw, " + format.size(shared.extra_stored) + " stored.",
        ),
        parts.table(
          [
            { title: "asset", narrow: true, cell: ([id]) => make("a.id", { href: "#/id/" + id }, format.id(id)) },
            { title: "raw", number: true, cell: ([, , raw]) => format.size(raw) },
            { title: "stored", number: true, cell: ([, , , stored]) => format.size(stored) },
            {
              title: "bundles",
              cell: ([, , , , copies]) =>
                copies.map(([bundle, names, keeps, obstacle]) =>
                  make(
                    "div",
                    {},
                    names.length ? parts.link(names[0], bundle) : null,
                    make("span.faint", {}, "  in " + label(bundle) + (keeps ? " (keeps it)" : "")),
                    obstacle ? make("span.warn", {}, "  cannot be left out: " + obstacle) : null,
                  ),
                ),
            },
          ],
          shared.list,
          50,
        ),
        parts.cut_note(shared),
      ),
      shared.fixes.length > 0 && parts.card("How to store it once", shared.fixes.map(fix)),
    ];
  },

  by_type() {
    const types = new Map();
    for (const total of facts.totals) {
      const sum = types.get(total.type) || { type: total.type, count: 0, raw: 0, stored: 0 };
      for (const key of ["count", "raw", "stored"]) sum[key] += total[key];
      types.set(total.type, sum);
    }
    return [...types.values()];
  },
  type_columns: (rows) => [
    {
      title: "type",
      narrow: true,
      cell: (row) => make("a", { href: address.treemap([row.type], { by: "type" }) }, parts.typed(row.type)),
    },
    { title: "assets", number: true, cell: (row) => format.count(row.count) },
    ...lists.sizes(Math.max(0, ...rows.map((row) => row.raw))),
  ],

  compression() {
    const types = lists.by_type().sort((a, b) => b.stored - a.stored);
    const bad = facts.assets
      .filter((asset) => asset.raw >= 4096 && asset.stored > 0.9 * asset.raw)
      .sort((a, b) => b.stored - a.stored)
      .slice(0, 1000);
    return [
      parts.title(
        "Compression",
        "If stored is nearly as large as raw, the bytes are already compressed (JPEG, Ogg) or random; " +
          "another format may be smaller.",
      ),
      parts.card(
        "By type",
        parts.table(lists.type_columns(types), types, 60),
        parts.cut_note({ list: facts.totals, total: facts.totals.length }),
      ),
      parts.card(
        "Assets of at least 4 KiB that are stored with more than 90 % of their size",
        bad.length === 0
          ? parts.nothing("There are none.")
          : parts.table([...lists.of_asset(), ...lists.sizes(bad[0].raw)], bad, 100),
      ),
    ];
  },
};
