// The views of findings: conflicts, unresolved names, missing and unused assets, and what each root needs.
const findings = (() => {
  const count_of = (key) => (facts.audit ? facts.audit[key].total : 0);
  const required = (rows, at) => rows.filter((row) => !row[at]).length;
  const counts = {
    conflicts: () => facts.conflicts.harmful,
    links: () =>
      required(facts.gaps.list, 3) +
      required(facts.unresolved.list, 4) +
      facts.absent_bundles.list.filter((row) => row[4]).length +
      facts.requirements.total +
      facts.unlinked.total,
    left_out: () => facts.left_out.lost,
    missing: () => (facts.audit ? facts.audit.hard : 0),
    unused: () => count_of("unused"),
    broken: () => count_of("broken"),
  };

  function summary() {
    const row = (count, view, found, none, tone) =>
      make(
        "tr",
        {},
        make("td.number", {}, make("span.badge" + (count > 0 ? "." + tone : ""), {}, format.count(count))),
        make("td", {}, count > 0 ? make("a", { href: "#/" + view }, found) : none),
      );
    return [
      make(
        "table",
        {},
        make(
          "tbody",
          {},
          row(
            counts.conflicts(),
            "conflicts",
            "names hide different content",
            facts.several ? "no name hides different content" : "a single bundle hides nothing",
            "warn",
          ),
          row(
            counts.links(),
            "links",
            "names, references or bundles are unresolved or not known",
            "everything is resolved",
            "bad",
          ),
          row(
            counts.left_out(),
            "left-out",
            "files of the sources are left out, and nobody meant that",
            "no file is left out by mistake",
            "bad",
          ),
          facts.audit && [
            row(
              counts.missing(),
              "missing",
              "references in the sources that the game looks up are missing",
              "nothing that the game looks up is missing",
              "bad",
            ),
            row(counts.broken(), "missing", "assets could not be read", "no asset is broken", "bad"),
            row(counts.unused(), "unused", "assets are unused", "everything is used", "warn"),
          ],
          row(facts.duplicates.total, "duplicates", "assets have several names", "each asset has one name", ""),
        ),
      ),
      facts.audit ? null : parts.note("With --audit, this page also shows what is missing or unused in the sources."),
    ];
  }

  const side = ([bundle, id]) => [
    parts.bundle(bundle),
    id === null ? make("span.faint", {}, " (tombstone)") : make("span.id.faint", {}, " " + format.id(id)),
  ];
  const conflicts = () => [
    parts.title(
      "Conflicts",
      "Names that several of these bundles have. They are mounted in this order, and the last one wins: " +
        facts.bundles.map((bundle) => bundle.label).join(", ") +
        ".",
    ),
    parts.card(
      null,
      facts.conflicts.total === 0
        ? parts.nothing("No bundle hides a name of another.")
        : parts.table(
            [
              { title: "name", cell: ([path, , [bundle]]) => parts.link(path, bundle) },
              {
                title: "",
                narrow: true,
                cell: ([, harmless]) =>
                  harmless ? make("span.badge", {}, "same content") : make("span.badge.warn", {}, "hides"),
              },
              { title: "wins", cell: ([, , winner]) => side(winner) },
              { title: "hidden", cell: ([, , , hidden]) => hidden.map((one) => make("div", {}, side(one))) },
            ],
            facts.conflicts.list,
          ),
      parts.cut_note(facts.conflicts),
    ),
  ];

  const needed = (optional) => (optional ? make("span.badge", {}, "optional") : make("span.badge.bad", {}, "needed"));
  const from_asset = (asset, name) =>
    asset === null ? make("span.name", {}, name) : make("a.name", { href: address.asset(facts.assets[asset]) }, name);
  const links = () => [
    parts.title("Unresolved", "What these bundles need and none of them has."),
    parts.card(
      "Names that a bundle consumes",
      facts.gaps.total === 0
        ? parts.nothing("Each is published by one of these bundles.")
        : parts.table(
            [
              {
                title: "name",
                cell: ([, name, pattern]) => [
                  make("span.name", {}, name),
                  pattern ? make("span.faint", {}, "  (pattern)") : null,
                ],
              },
              { title: "", narrow: true, cell: ([, , , optional]) => needed(optional) },
              { title: "needed by", cell: ([bundle]) => parts.bundle(bundle) },
            ],
            facts.gaps.list,
          ),
      parts.cut_note(facts.gaps),
    ),
    parts.card(
      "Bundles that a bundle depends on",
      facts.absent_bundles.total === 0
        ? parts.nothing("All of them are among these bundles.")
        : parts.table(
            [
              {
                title: "bundle",
                cell: ([, id, name, version]) => [name + " " + version, make("div.id.faint", {}, id)],
              },
              {
                title: "",
                narrow: true,
                cell: ([, , , , is_static]) =>
                  is_static ? make("span.badge.bad", {}, "static") : make("span.badge", {}, "dynamic"),
              },
              { title: "needed by", cell: ([bundle]) => parts.bundle(bundle) },
            ],
            facts.absent_bundles.list,
          ),
      parts.cut_note(facts.absent_bundles),
    ),
    parts.card(
      "What a bundle requires by name",
      facts.requirements.total === 0
        ? parts.nothing("These bundles meet each requirement.")
        : parts.table(
            [
              { title: "requirement", cell: ([, reason]) => make("span.name", {}, reason) },
              { title: "needed by", cell: ([bundle]) => parts.bundle(bundle) },
            ],
            facts.requirements.list,
          ),
      parts.cut_note(facts.requirements),
    ),
    facts.unlinked.total > 0 &&
      parts.card(
        "Bundles of whose references nothing is known",
        facts.unlinked.list.map((sentence) => make("p", {}, sentence)),
        parts.cut_note(facts.unlinked),
      ),
    parts.card(
      "References in link tables",
      facts.unresolved.total === 0
        ? parts.nothing(
            facts.references.total > 0
              ? "All " + format.count(facts.references.total) + " are resolved."
              : "These bundles have none.",
          )
        : parts.table(
            [
              { title: "asset", cell: ([asset, name]) => from_asset(asset, name) },
              { title: "spelling", cell: ([, , spelling]) => make("span.name", {}, spelling) },
              { title: "", narrow: true, cell: ([, , , , optional]) => needed(optional) },
              { title: "target", cell: ([, , , wanted]) => make("span.name", {}, wanted) },
            ],
            facts.unresolved.list,
          ),
      parts.cut_note(facts.unresolved),
    ),
  ];

  const left_out = () => [
    parts.title("Left out", "Files of the sources of a project that are in no bundle, and why."),
    parts.card(
      null,
      facts.left_out.total === 0
        ? parts.nothing("Nothing of a project is left out. What a bundle lacks of its sources, only its packer knows.")
        : parts.table(
            [
              { title: "file", cell: ([origin]) => make("span.name", {}, origin) },
              {
                title: "",
                narrow: true,
                cell: ([, kind, , lost]) => make(lost ? "span.badge.bad" : "span.badge", {}, kind),
              },
              { title: "why", cell: ([, , reason]) => reason },
            ],
            facts.left_out.list,
          ),
      parts.cut_note(facts.left_out),
    ),
  ];

  const no_audit = (title) => [
    parts.title(title),
    parts.card(
      null,
      make("p", {}, "This page was created without --audit. Run:"),
      make("p", {}, make("code", {}, "fardel audit --json > audit.json && fardel report BUNDLE --audit audit.json")),
    ),
  ];
  const missing = () =>
    facts.audit
      ? [
          parts.title("Missing", "References in the sources that lead to no file, as the audit reported them."),
          parts.card(
            null,
            facts.audit.missing.total === 0
              ? parts.nothing("Nothing is missing.")
              : parts.table(
                  [
                    {
                      title: "asset",
                      cell: ([from, , , line]) => [
                        parts.link(from),
                        line > 0 ? make("span.faint", {}, ":" + line) : null,
                      ],
                    },
                    { title: "spelling", cell: ([, spelling]) => make("span.name", {}, spelling) },
                    { title: "as", narrow: true, cell: ([, , use]) => use },
                    {
                      title: "hard or soft",
                      cell: ([, , , , , why]) => (why === true ? make("span.badge.bad", {}, "hard") : "soft: " + why),
                    },
                    {
                      title: "tried",
                      cell: ([, , , , tried]) => tried.map((name) => make("div.name.faint", {}, name)),
                    },
                  ],
                  facts.audit.missing.list,
                ),
            parts.cut_note(facts.audit.missing),
          ),
          parts.card(
            "Broken: assets that could not be read",
            facts.audit.broken.total === 0
              ? parts.nothing("There are none.")
              : parts.table(
                  [
                    { title: "asset", cell: ([name]) => parts.link(name) },
                    { title: "reason", cell: ([, reason]) => reason },
                  ],
                  facts.audit.broken.list,
                ),
            parts.cut_note(facts.audit.broken),
          ),
        ]
      : no_audit("Missing");
  const unused = () =>
    facts.audit
      ? [
          parts.title(
            "Unused",
            "Assets that no root reaches, as the audit reported them: " +
              format.size(facts.audit.unused.list.reduce((all, [, bytes]) => all + bytes, 0)) +
              ".",
          ),
          parts.card(
            null,
            facts.audit.unused.total === 0
              ? parts.nothing("Everything is used.")
              : parts.table(
                  [
                    { title: "asset", cell: ([name]) => parts.link(name) },
                    { title: "size", number: true, cell: ([, bytes]) => format.size(bytes) },
                  ],
                  facts.audit.unused.list,
                ),
            parts.cut_note(facts.audit.unused),
          ),
        ]
      : no_audit("Unused");

  const missing_count = (count) => (count > 0 ? make("span.badge.bad", {}, format.count(count)) : "0");
  const roots = () => [
    parts.title(
      "Roots",
      "Roots are assets to which nothing refers. Each row shows what a root needs, directly and indirectly.",
    ),
    facts.audit &&
      facts.audit.roots.total > 0 &&
      parts.card(
        "From the audit",
        parts.table(
          [
            { title: "root", cell: ([root]) => parts.link(root) },
            { title: "names", number: true, cell: ([, names]) => format.count(names) },
            { title: "size", number: true, cell: ([, , bytes]) => format.size(bytes) },
            { title: "missing", number: true, cell: ([, , , missing]) => missing_count(missing) },
          ],
          facts.audit.roots.list,
        ),
        parts.cut_note(facts.audit.roots),
      ),
    parts.card(
      "From the link tables",
      facts.roots.total === 0
        ? make("p.faint", {}, "The link tables of these bundles contain no references.")
        : parts.table(
            [
              { title: "root", cell: ([asset, name]) => from_asset(asset, name) },
              { title: "assets", number: true, cell: ([, , assets]) => format.count(assets) },
              { title: "raw", number: true, cell: ([, , , raw]) => format.size(raw) },
              { title: "stored", number: true, cell: ([, , , , stored]) => format.size(stored) },
              { title: "missing", number: true, cell: ([, , , , , missing]) => missing_count(missing) },
            ],
            facts.roots.list,
          ),
      parts.cut_note(facts.roots),
    ),
  ];

  return { counts, summary, conflicts, links, left_out, missing, unused, roots };
})();
