// The first view: counts, sizes, and findings that need attention.
function overview() {
  const { map } = treemap.picture([], { by: "folder", size: "raw" }, true);
  const types = lists.by_type().sort((a, b) => b.raw - a.raw);
  const biggest = [...facts.assets].sort((a, b) => b.raw - a.raw).slice(0, 10);
  return [
    parts.title(
      facts.several
        ? format.count(facts.bundles.length) + " bundles"
        : facts.bundles[0].label + (facts.bundles[0].version ? " " + facts.bundles[0].version : ""),
      facts.several ? facts.bundles.map((bundle) => bundle.label).join(" · ") : facts.bundles[0].file,
    ),
    make(
      "div.tiles",
      {},
      parts.tile(format.count(facts.name_count), "names"),
      parts.tile(format.count(facts.asset_count), "assets"),
      parts.tile(format.size(facts.raw), "raw"),
      parts.tile(format.size(facts.stored), "stored"),
      parts.tile(format.percent(facts.stored, facts.raw), "stored of raw"),
      parts.tile(format.size(facts.file_bytes), facts.several ? "files" : "file"),
    ),
    parts.card("Sizes", map, parts.legend(), parts.left_out()),
    make(
      "div.columns",
      {},
      parts.card("Findings", findings.summary()),
      parts.card(
        "Biggest assets",
        parts.table([lists.of_asset()[0], lists.sizes(0)[0], lists.sizes(0)[1]], biggest),
        parts.note(make("a", { href: "#/biggest" }, "more…")),
      ),
    ),
    make("p"),
    parts.card("By type", parts.table(lists.type_columns(types), types, 15)),
  ];
}
