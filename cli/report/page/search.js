// The search for names that contain every typed word.
const search = (() => {
  const SHOWN_MAX = 500;

  function find(words) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return [];
    return facts.names.filter((name) => {
      const text = name.text.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }

  // The name, with the typed words marked.
  function marked(text, words) {
    const lower = text.toLowerCase(),
      pieces = [];
    if (lower.length !== text.length) return [text]; // a letter that becomes two in lower case
    const at = new Uint8Array(text.length);
    for (const word of words.toLowerCase().split(/\s+/).filter(Boolean))
      for (let from = lower.indexOf(word); from >= 0; from = lower.indexOf(word, from + 1))
        at.fill(1, from, from + word.length);
    for (let from = 0, to; from < text.length; from = to) {
      for (to = from; to < text.length && at[to] === at[from]; ++to);
      pieces.push(at[from] ? make("mark", {}, text.slice(from, to)) : text.slice(from, to));
    }
    return pieces;
  }

  function view({ parts: path }) {
    const words = path.join("/"),
      found = find(words);
    return [
      parts.title(
        "Search",
        words
          ? format.several(found.length, "name contains", "names contain") + " “" + words + "”"
          : "Type into the field at the top.",
      ),
      found.length > 0 &&
        parts.card(
          null,
          parts.table(
            [
              { title: "name", cell: (name) => make("a.name", { href: address.name(name) }, marked(name.text, words)) },
              ...(facts.several ? [{ title: "bundle", cell: (name) => parts.bundle(name.bundle) }] : []),
              {
                title: "type",
                narrow: true,
                cell: (name) =>
                  name.variants.length ? parts.typed(name.variants[0].asset.type) : make("span.faint", {}, "tombstone"),
              },
              {
                title: "size",
                number: true,
                cell: (name) => (name.variants.length ? format.size(name.variants[0].asset.raw) : ""),
              },
            ],
            found.slice(0, SHOWN_MAX),
          ),
          found.length > SHOWN_MAX && parts.note("Only the first " + SHOWN_MAX + " are shown."),
        ),
      parts.left_out(),
    ];
  }

  return { find, view };
})();
