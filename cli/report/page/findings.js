// What shadows what, what leads nowhere, what nobody uses, and what each root pulls in.
const findings = (() => {
  const count_of = (key) => (facts.audit ? facts.audit[key].total : 0);
  const required = (rows, at) => rows.filter((row) => !row[at]).length;
  const counts = {
    conflicts: () => facts.conflicts.harmful,
    links: () => required(facts.gaps.list, 3) + required(facts.unresolved.list, 4) + facts.absent_bundles.list.filter((row) => row[4]).length,
    missing: () => count_of("missing"), unused: () => count_of("unused"), broken: () => count_of("broken"),
  };

  function summary() {
    const row = (count, view, found, none, tone) => make("tr", {}, make("td.number", {}, make("span.badge" + (count > 0 ? "." + tone : ""), {}, format.count(count))),
      make("td", {}, count > 0 ? make("a", { href: "#/" + view }, found) : none));
    return [make("table", {}, make("tbody", {},
      row(counts.conflicts(), "conflicts", "names hide other content", facts.several ? "no name hides other content" : "one bundle hides nothing", "warn"),
      row(counts.links(), "links", "names, references or bundles lead nowhere", "every link leads somewhere", "bad"),
      facts.audit && [row(counts.missing(), "missing", "references of the sources are missing", "nothing is missing", "bad"),
                      row(counts.broken(), "missing", "assets could not be read", "no asset is broken", "bad"),
                      row(counts.unused(), "unused", "assets are used by nobody", "everything is used", "warn")],
      row(facts.duplicates.total, "duplicates", "assets have several names", "each asset has one name", "")))
      , facts.audit ? null : parts.note("What is missing or unused among the sources stands here when the page is made with --audit.")];
  }

  const side = ([bundle, id]) => [parts.bundle(bundle), id === null ? make("span.faint", {}, " (tombstone)") : make("span.id.faint", {}, " " + format.id(id))];
  const conflicts = () => [
    parts.title("Conflicts", "Names that several of these bundles have, mounted in this order: " + facts.bundles.map((bundle) => bundle.label).join(", ") + ". The last wins."),
    parts.card(null, facts.conflicts.total === 0 ? parts.nothing("No bundle hides anything of another.") : parts.table([
      { title: "name", cell: ([path, , [bundle]]) => parts.link(path, bundle) },
      { title: "", narrow: true, cell: ([, harmless]) => (harmless ? make("span.badge", {}, "same content") : make("span.badge.warn", {}, "hides")) },
      { title: "wins", cell: ([, , winner]) => side(winner) },
      { title: "hidden", cell: ([, , , hidden]) => hidden.map((one) => make("div", {}, side(one))) },
    ], facts.conflicts.list), parts.ended(facts.conflicts))];

  const demand = (optional) => (optional ? make("span.badge", {}, "optional") : make("span.badge.bad", {}, "needed"));
  const from_asset = (asset, name) => (asset === null ? make("span.name", {}, name) : make("a.name", { href: address.asset(facts.assets[asset]) }, name));
  const links = () => [
    parts.title("Unresolved", "What these bundles ask for and none of them has."),
    parts.card("Names that a bundle consumes", facts.gaps.total === 0 ? parts.nothing("Each is published by one of them.") : parts.table([
      { title: "name", cell: ([, name, pattern]) => [make("span.name", {}, name), pattern ? make("span.faint", {}, "  (pattern)") : null] },
      { title: "", narrow: true, cell: ([, , , optional]) => demand(optional) },
      { title: "wanted by", cell: ([bundle]) => parts.bundle(bundle) },
    ], facts.gaps.list), parts.ended(facts.gaps)),
    parts.card("Bundles that one depends on", facts.absent_bundles.total === 0 ? parts.nothing("All of them are here.") : parts.table([
      { title: "bundle", cell: ([, id, name, version]) => [name + " " + version, make("div.id.faint", {}, id)] },
      { title: "", narrow: true, cell: ([, , , , is_static]) => (is_static ? make("span.badge.bad", {}, "static") : make("span.badge", {}, "dynamic")) },
      { title: "wanted by", cell: ([bundle]) => parts.bundle(bundle) },
    ], facts.absent_bundles.list), parts.ended(facts.absent_bundles)),
    parts.card("References in link tables", facts.unresolved.total === 0 ? parts.nothing(facts.references.total > 0 ? "All " + format.count(facts.references.total) + " lead somewhere." : "These bundles have none.") : parts.table([
      { title: "asset", cell: ([asset, name]) => from_asset(asset, name) },
      { title: "writes", cell: ([, , spelling]) => make("span.name", {}, spelling) },
      { title: "", narrow: true, cell: ([, , , , optional]) => demand(optional) },
      { title: "wants", cell: ([, , , wanted]) => make("span.name", {}, wanted) },
    ], facts.unresolved.list), parts.ended(facts.unresolved))];

  const no_audit = (title) => [parts.title(title), parts.card(null, make("p", {}, "This page was made without --audit. Run "), make("p", {}, make("code", {}, "fardel audit --json > audit.json && fardel report BUNDLE --audit audit.json")))];
  const missing = () => (facts.audit ? [
    parts.title("Missing", "References in the sources for which there is nothing, as the audit told them."),
    parts.card(null, facts.audit.missing.total === 0 ? parts.nothing("Nothing is missing.") : parts.table([
      { title: "asset", cell: ([from, , , line]) => [parts.link(from), line > 0 ? make("span.faint", {}, ":" + line) : null] },
      { title: "writes", cell: ([, spelling]) => make("span.name", {}, spelling) },
      { title: "as", narrow: true, cell: ([, , use]) => use },
      { title: "tried", cell: ([, , , , tried]) => tried.map((name) => make("div.name.faint", {}, name)) },
    ], facts.audit.missing.list), parts.ended(facts.audit.missing)),
    parts.card("Broken: these could not be read", facts.audit.broken.total === 0 ? parts.nothing("None is.") : parts.table([
      { title: "asset", cell: ([name]) => parts.link(name) }, { title: "why", cell: ([, reason]) => reason },
    ], facts.audit.broken.list), parts.ended(facts.audit.broken))] : no_audit("Missing"));
  const unused = () => (facts.audit ? [
    parts.title("Unused", "Assets that no root reaches, as the audit told them: " + format.size(facts.audit.unused.list.reduce((all, [, bytes]) => all + bytes, 0)) + "."),
    parts.card(null, facts.audit.unused.total === 0 ? parts.nothing("Everything is used.") : parts.table([
      { title: "asset", cell: ([name]) => parts.link(name) }, { title: "size", number: true, cell: ([, bytes]) => format.size(bytes) },
    ], facts.audit.unused.list), parts.ended(facts.audit.unused))] : no_audit("Unused"));

  const gone = (count) => (count > 0 ? make("span.badge.bad", {}, format.count(count)) : "0");
  const roots = () => [
    parts.title("Roots", "What each asset pulls in through all that it refers to; roots are those to which nothing refers."),
    facts.audit && facts.audit.roots.total > 0 && parts.card("As the audit told them", parts.table([
      { title: "root", cell: ([root]) => parts.link(root) },
      { title: "names", number: true, cell: ([, names]) => format.count(names) },
      { title: "size", number: true, cell: ([, , bytes]) => format.size(bytes) },
      { title: "missing", number: true, cell: ([, , , lost]) => gone(lost) },
    ], facts.audit.roots.list), parts.ended(facts.audit.roots)),
    parts.card("From the link tables", facts.roots.total === 0 ? make("p.faint", {}, "The link tables of these bundles say nothing about references.") : parts.table([
      { title: "root", cell: ([asset, name]) => from_asset(asset, name) },
      { title: "assets", number: true, cell: ([, , assets]) => format.count(assets) },
      { title: "raw", number: true, cell: ([, , , raw]) => format.size(raw) },
      { title: "stored", number: true, cell: ([, , , , stored]) => format.size(stored) },
      { title: "missing", number: true, cell: ([, , , , , lost]) => gone(lost) },
    ], facts.roots.list), parts.ended(facts.roots))];

  return { counts, summary, conflicts, links, missing, unused, roots };
})();
