// The view of one name or asset: its facts, what it refers to, and what refers to it.
const asset_view = (() => {
  const SIDE_MAX = 24;

  const short = (asset) => (asset.names.length ? asset.names[0].text : format.id(asset.id));
  const node = (asset, under) =>
    make(
      "a.node.edge-" + asset.kind,
      { href: address.asset(asset) },
      make("span.name", {}, short(asset)),
      make("small", {}, under + (facts.several ? " · " + facts.bundles[asset.bundle].label : "")),
    );
  const unshown = (reference) =>
    make(
      "span.node" + (reference.found ? "" : ".missing"),
      {},
      make("span.name", {}, reference.spelling),
      make(
        "small",
        {},
        reference.found
          ? "a small asset that is not on this page"
          : "not found" + (reference.optional ? " (optional)" : ""),
      ),
    );

  function side(title, references, draw) {
    const box = make(
      "div.side",
      {},
      make("h2", {}, title + " (" + format.count(references.length) + ")"),
      references.slice(0, SIDE_MAX).map(draw),
    );
    if (references.length > SIDE_MAX) {
      const more = make("details", {}, make("summary", {}, format.count(references.length - SIDE_MAX) + " more"));
      more.addEventListener("toggle", () => {
        if (more.open && more.children.length === 1) more.append(...references.slice(SIDE_MAX).map(draw));
      });
      box.append(more);
    }
    return box;
  }

  // Draws a curve from each neighbour to the middle.
  function lines(walk) {
    const old = walk.querySelector("svg");
    if (old) old.remove();
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"),
      frame = walk.getBoundingClientRect();
    svg.setAttribute("aria-hidden", "true");
    const middle = walk.querySelector(".middle .node").getBoundingClientRect();
    walk.querySelectorAll(".side:not(.middle) > .node").forEach((element) => {
      const box = element.getBoundingClientRect(),
        left = box.left < middle.left;
      const [x1, x2] = left ? [box.right, middle.left] : [middle.right, box.left];
      const [y1, y2] = left
        ? [box.top + box.height / 2, middle.top + middle.height / 2]
        : [middle.top + middle.height / 2, box.top + box.height / 2];
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path"),
        bend = (x1 + x2) / 2 - frame.left;
      path.setAttribute(
        "d",
        `M${x1 - frame.left} ${y1 - frame.top}C${bend} ${y1 - frame.top} ` +
          `${bend} ${y2 - frame.top} ${x2 - frame.left} ${y2 - frame.top}`,
      );
      svg.append(path);
    });
    walk.prepend(svg);
  }

  function walk(asset) {
    if (asset.into.length + asset.out.length === 0)
      return parts.card(
        "References",
        make(
          "p.faint",
          {},
          facts.references.total > 0
            ? "It refers to nothing, and nothing refers to it."
            : "The link tables of these bundles contain no references.",
        ),
      );
    const frame = make(
      "div.walk",
      {},
      side("Referred to by", asset.into, (reference) => node(reference.from, "as " + reference.spelling)),
      make("div.side.middle", {}, make("span.node.edge-" + asset.kind, {}, short(asset).split("/").pop())),
      side("Refers to", asset.out, (reference) =>
        reference.to
          ? node(reference.to, reference.to.type + (reference.dynamic ? " · by name" : ""))
          : unshown(reference),
      ),
    );
    frame.redraw = () => {
      if (frame.isConnected) lines(frame);
    };
    new ResizeObserver(frame.redraw).observe(frame);
    return parts.card("References", frame);
  }

  const fact = (title, ...content) => [make("dt", {}, title), make("dd", {}, ...content)];
  const sheet = (asset, tags) =>
    parts.card(
      tags ? "Variant " + tags : null,
      make(
        "dl.facts",
        {},
        fact("type", parts.typed(asset.type)),
        fact("raw", format.size(asset.raw), make("span.faint", {}, "  " + format.count(asset.raw) + " bytes")),
        fact(
          "stored",
          format.size(asset.stored),
          make("span.faint", {}, "  " + format.percent(asset.stored, asset.raw) + " of raw"),
          parts.bar(asset.stored, asset.raw, asset.raw),
        ),
        fact("asset id", make("code", {}, asset.id)),
        fact("bundle", parts.bundle(asset.bundle)),
        asset.names.length > 1 &&
          fact(
            "names",
            asset.names.map((name) => make("div", {}, parts.link(name.text, name.bundle))),
          ),
      ),
    );

  // The other bundles that have this name, and which of them wins.
  function rivals(name) {
    const others = facts.all_named(name.text).filter((other) => other !== name);
    if (others.length === 0) return null;
    const winner = facts.winner(name.text);
    return parts.card(
      "In other bundles",
      make(
        "p",
        {},
        winner === null
          ? "No bundle publishes it, or it is hidden."
          : winner === name.bundle
            ? "A game gets this one."
            : ["A game gets the one of ", parts.bundle(winner), "."],
      ),
      others.map((other) =>
        make(
          "div",
          {},
          make("a.name", { href: address.name(other) }, other.text),
          " in ",
          parts.bundle(other.bundle),
          other.variants.length === 0 ? make("span.faint", {}, " (tombstone)") : null,
        ),
      ),
    );
  }

  function of_name({ parts: path, options }) {
    const text = path.join("/"),
      bundle = options.get("bundle");
    const name = facts.find(text, bundle === undefined ? undefined : Number(bundle));
    if (!name)
      return [
        parts.title(text || "No name"),
        parts.card(
          null,
          make(
            "p",
            {},
            "This name is not on this page. ",
            facts.names_left_out > 0 ? "It may be one of the smallest names, which are summed up. " : "",
            make("a", { href: address.search(text) }, "Search for it"),
          ),
        ),
      ];
    const folder = text.split("/").slice(0, -1),
      above = facts.several ? [facts.bundles[name.bundle].label] : [];
    const state = [
      name.published ? "published" : "not published",
      name.extends ? "adds variants to another bundle's name" : "",
      name.variants.length === 0 ? "a tombstone, which hides this name in other bundles" : "",
    ]
      .filter(Boolean)
      .join(" · ");
    return [
      make(
        "div.crumbs",
        {},
        make("a", { href: address.treemap(above, {}) }, "everything"),
        folder.map((part, i) => [
          make("span", { "aria-hidden": "true" }, "›"),
          make("a.name", { href: address.treemap([...above, ...folder.slice(0, i + 1)], {}) }, part),
        ]),
      ),
      parts.title(text, state),
      name.variants.map(({ asset, tags }) => [
        sheet(asset, name.variants.length > 1 || tags ? tags || "without tags" : ""),
        walk(asset),
      ]),
      rivals(name),
    ];
  }

  function of_id({ parts: [id] }) {
    const found = facts.assets.filter((asset) => asset.id === id);
    return [
      parts.title("Asset", id),
      found.length === 0
        ? parts.card(null, make("p", {}, "This asset is not on this page."))
        : found.map((asset) => [sheet(asset, ""), walk(asset)]),
    ];
  }

  return { of_name, of_id };
})();
