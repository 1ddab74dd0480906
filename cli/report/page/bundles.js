// The view of the bundles: their facts, and which depends on which.
function bundles_view({ parts: [wanted] }) {
  const by_id = new Map(facts.bundles.map((bundle) => [bundle.id, bundle]));
  const fact = (title, ...content) => [make("dt", {}, title), make("dd", {}, ...content)];
  const dependency = (one) => {
    const here = by_id.get(one.id);
    return make(
      "div",
      {},
      here
        ? parts.bundle(here.index)
        : make("span.bad", {}, (one.name || "a bundle") + " " + one.version + " is not among these bundles"),
      make("span.faint", {}, one.static ? "  static  " : "  "),
      make("span.id.faint", {}, format.id(one.id)),
    );
  };
  const card = (bundle) => {
    const dependants = facts.bundles.filter((other) => other.dependencies.some((one) => one.id === bundle.id));
    return make(
      "section.card",
      { id: "bundle-" + bundle.index },
      make("h2", {}, bundle.label + (bundle.version ? " " + bundle.version : "")),
      make(
        "dl.facts",
        {},
        fact("file", bundle.file, make("span.faint", {}, "  " + format.size(bundle.file_bytes))),
        fact("bundle id", make("code", {}, bundle.id)),
        fact("layout id", make("code", {}, bundle.layout)),
        fact(
          "contains",
          format.several(bundle.assets, "asset", "assets") + ", " + format.several(bundle.names, "name", "names"),
        ),
        fact(
          "sizes",
          format.size(bundle.raw) + " raw, " + format.size(bundle.stored) + " stored",
          parts.bar(bundle.stored, bundle.raw, bundle.raw),
        ),
        fact("signatures", bundle.signatures === 0 ? make("span.warn", {}, "none") : format.count(bundle.signatures)),
        fact(
          "depends on",
          bundle.dependencies.length === 0 ? make("span.faint", {}, "nothing") : bundle.dependencies.map(dependency),
        ),
        facts.several &&
          fact(
            "needed by",
            dependants.length === 0
              ? make("span.faint", {}, "none of these")
              : dependants.map((other) => make("div", {}, parts.bundle(other.index))),
          ),
        bundle.metadata.map(([key, value]) => fact(key, value)),
      ),
    );
  };
  const shown = facts.bundles.filter((bundle) => wanted === undefined || String(bundle.index) === wanted);
  return [
    parts.title(
      "Bundles",
      facts.several ? "In the order in which they are mounted: if several have a name, the last one wins." : null,
    ),
    shown.map(card),
    wanted !== undefined && facts.several && make("p", {}, make("a", { href: "#/bundles" }, "All bundles")),
  ];
}
