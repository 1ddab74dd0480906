"use strict";

// The facts that the program wrote, as objects with named fields. Only reads the document.
const facts = (() => {
  const raw = JSON.parse(document.getElementById("facts").textContent);
  const types = raw.types;

  const kindOf = (type) => {
    if (type === "application/x-bsp" || type === "application/x-aas" || type === "text/x-quake-map") return "level";
    const first = type.slice(0, type.indexOf("/"));
    return ["image", "audio", "video", "model", "text", "font"].includes(first) ? first : "other";
  };

  const bundles = raw.bundles.map((bundle, index) => ({ ...bundle, index, label: bundle.name || bundle.file }));
  for (const bundle of bundles)
    // bundles of one name are distinguished by their files
    if (bundles.some((other) => other !== bundle && other.name === bundle.name)) bundle.label = bundle.file;

  const assets = raw.assets.map(([bundle, type, size, stored, id], index) => ({
    index,
    bundle,
    type: types[type],
    kind: kindOf(types[type]),
    raw: size,
    stored,
    id,
    names: [],
    out: [],
    into: [],
  }));
  const names = raw.names.map(([bundle, text, flags, size, stored, variants], index) => ({
    index,
    bundle,
    text,
    published: (flags & 1) !== 0,
    extends: (flags & 2) !== 0,
    raw: size,
    stored,
    variants: variants.map(([asset, tags]) => ({ asset: assets[asset], tags })),
  }));

  const byText = new Map();
  for (const name of names) {
    if (!byText.has(name.text)) byText.set(name.text, []);
    byText.get(name.text).push(name);
    for (const variant of name.variants) if (!variant.asset.names.includes(name)) variant.asset.names.push(name);
  }
  for (const [from, to, spelling, flags, wanted] of raw.references.list) {
    const reference = {
      from: assets[from],
      to: to === null ? null : assets[to],
      spelling,
      wanted,
      optional: (flags & 1) !== 0,
      dynamic: (flags & 2) !== 0,
      found: (flags & 4) !== 0,
    };
    reference.from.out.push(reference);
    if (reference.to) reference.to.into.push(reference);
  }

  const rest = raw.rest.map(([bundle, folder, type, count, size, stored]) => ({
    bundle,
    folder,
    type: types[type],
    kind: kindOf(types[type]),
    count,
    raw: size,
    stored,
  }));
  const totals = raw.totals.list.map(([bundle, type, count, size, stored]) => ({
    bundle,
    type: types[type],
    kind: kindOf(types[type]),
    count,
    raw: size,
    stored,
  }));
  const sum = (key) => bundles.reduce((all, bundle) => all + bundle[key], 0);

  // The bundle whose asset a game gets for a published name, as the program resolved it; null if there is none.
  const conflictWinners = new Map(
    raw.conflicts.list.map(([path, , [bundle, asset]]) => [path, asset === null ? null : bundle]),
  );
  function winner(text) {
    if (conflictWinners.has(text)) return conflictWinners.get(text);
    const publishing = (byText.get(text) || []).filter(
      (name) => name.published && !name.extends && name.variants.length > 0,
    );
    return publishing.length > 0 ? publishing[publishing.length - 1].bundle : null;
  }

  return {
    bundles,
    assets,
    names,
    rest,
    totals,
    kindOf,
    several: bundles.length > 1,
    names_left_out: raw.names_left_out,
    raw: sum("raw"),
    stored: sum("stored"),
    asset_count: sum("assets"),
    name_count: sum("names"),
    file_bytes: sum("file_bytes"),
    references: raw.references,
    conflicts: raw.conflicts,
    gaps: raw.gaps,
    absent_bundles: raw.absent_bundles,
    requirements: raw.requirements,
    unlinked: raw.unlinked,
    left_out: raw.left_out,
    unresolved: raw.unresolved,
    roots: raw.roots,
    duplicates: raw.duplicates,
    shared: raw.shared,
    since: raw.since,
    audit: raw.audit,
    // The name in the given bundle; without one, in the bundle that wins, or else in the last one that has it.
    find(text, bundle) {
      const found = byText.get(text) || [];
      const wanted = bundle === undefined ? winner(text) : bundle;
      const exact = found.find((name) => name.bundle === wanted);
      return exact || bundle !== undefined ? exact : found[found.length - 1];
    },
    winner,
    all_named: (text) => byText.get(text) || [],
    of_id: (id, bundle) => assets.find((asset) => asset.id === id && (bundle === undefined || asset.bundle === bundle)),
  };
})();
