// Sizes as areas. A level is computed when it is shown: its children, and their children if there is room.
const treemap = (() => {
  const CHILDREN_MAX = 120,
    ELEMENTS_MAX = 1500,
    DEPTH_MAX = 4,
    HEAD = 20,
    GAP = 2;

  // The leaf at the end of each path: a name, or several names that are summed up.
  const leaves_by = {};
  function leaves(by) {
    if (leaves_by[by]) return leaves_by[by];
    const list = [];
    const above = (bundle, type) => (by === "type" ? [type] : facts.several ? [facts.bundles[bundle].label] : []);
    for (const name of facts.names)
      if (name.raw > 0) {
        const type = name.variants.length ? name.variants[0].asset.type : "";
        list.push({
          parts: [...above(name.bundle, type), ...name.text.split("/")],
          raw: name.raw,
          stored: name.stored,
          kind: facts.kindOf(type),
          type,
          name,
        });
      }
    for (const sum of facts.rest) {
      const label = sum.count > 0 ? format.several(sum.count, "smaller name", "smaller names") : "without a name";
      list.push({
        parts: [
          ...above(sum.bundle, sum.type),
          ...sum.folder.split("/").filter(Boolean),
          "(" + label + ", " + sum.type + ")",
        ],
        raw: sum.raw,
        stored: sum.stored,
        kind: "rest",
        type: sum.type,
      });
    }
    return (leaves_by[by] = list);
  }

  // The children of a path, largest first.
  function children(list, depth, size) {
    const groups = new Map();
    for (const leaf of list) {
      const part = leaf.parts[depth];
      let group = groups.get(part);
      if (!group)
        groups.set(
          part,
          (group = { parts: leaf.parts.slice(0, depth + 1), label: part, leaves: [], raw: 0, stored: 0 }),
        );
      group.leaves.push(leaf);
      group.raw += leaf.raw;
      group.stored += leaf.stored;
    }
    for (const group of groups.values()) {
      group.leaf =
        group.leaves.length === 1 && group.leaves[0].parts.length === group.parts.length ? group.leaves[0] : null;
      group.kind = dominant(group.leaves, size);
    }
    return [...groups.values()].sort((a, b) => b[size] - a[size] || (a.label < b.label ? -1 : 1));
  }

  function dominant(list, size) {
    const sums = {};
    for (const leaf of list) sums[leaf.kind] = (sums[leaf.kind] || 0) + leaf[size];
    return Object.entries(sums).sort((a, b) => b[1] - a[1])[0][0];
  }

  function below(parts, by) {
    return leaves(by).filter(
      (leaf) => leaf.parts.length > parts.length && parts.every((part, i) => leaf.parts[i] === part),
    );
  }

  // The first `most` groups; the last of them stands for all others.
  function shortened(list, most, size, parts_here) {
    const shown = list.filter((group) => group[size] > 0);
    if (shown.length <= most) return shown;
    const others = shown.slice(most - 1);
    const sum = (key) => others.reduce((all, group) => all + group[key], 0);
    const all = [
      ...shown.slice(0, most - 1),
      {
        parts: parts_here,
        label: format.count(others.length) + " more",
        leaves: [],
        raw: sum("raw"),
        stored: sum("stored"),
        kind: "rest",
        leaf: null,
        others: true,
      },
    ];
    return all.sort((a, b) => b[size] - a[size]);
  }

  // Squarified treemap: fills rows along the shorter side as long as that makes their cells more square.
  function squarify(list, size, box, place) {
    const whole = list.reduce((all, group) => all + group[size], 0);
    let { x, y, w, h } = box,
      left = whole,
      from = 0;
    const worst = (row, sum, side, scale) => {
      const thick = (sum * scale) / side;
      return Math.max(
        ...row.map((group) => {
          const long = (group[size] * scale) / thick;
          return Math.max(thick / long, long / thick);
        }),
      );
    };
    while (from < list.length && w > 0.5 && h > 0.5) {
      const side = Math.min(w, h),
        scale = (w * h) / left;
      let to = from + 1,
        sum = list[from][size],
        best = worst([list[from]], sum, side, scale);
      while (to < list.length) {
        const next = worst(list.slice(from, to + 1), sum + list[to][size], side, scale);
        if (next > best) break;
        best = next;
        sum += list[to++][size];
      }
      const thick = (sum * scale) / side;
      let at = 0;
      for (const group of list.slice(from, to)) {
        const long = (group[size] * scale) / thick;
        place(group, w >= h ? { x, y: y + at, w: thick, h: long } : { x: x + at, y, w: long, h: thick });
        at += long;
      }
      if (w >= h) {
        x += thick;
        w -= thick;
      } else {
        y += thick;
        h -= thick;
      }
      left -= sum;
      from = to;
    }
  }

  function put(element, box) {
    element.style.left = box.x + "px";
    element.style.top = box.y + "px";
    element.style.width = Math.max(0, box.w - GAP) + "px";
    element.style.height = Math.max(0, box.h - GAP) + "px";
  }

  const tip_of = (group) =>
    group.parts.join("/") +
    (group.others ? "/ (" + group.label + ")" : "") +
    "\n" +
    format.size(group.raw) +
    " raw, " +
    format.size(group.stored) +
    " stored (" +
    format.percent(group.stored, group.raw) +
    ")" +
    (group.leaf
      ? "\n" + group.leaf.type
      : group.leaves.length
        ? "\n" + format.several(group.leaves.length, "name", "names")
        : "");
  const href_of = (group, options) =>
    group.leaf
      ? group.leaf.name
        ? address.name(group.leaf.name)
        : address.treemap(group.parts.slice(0, -1), options)
      : address.treemap(group.parts, options);

  function cell(group, box, size, options) {
    const element = make("a.cell." + group.kind, {
      href: href_of(group, options),
      "data-tip": tip_of(group),
      "aria-label": tip_of(group),
    });
    if (box.w > 46 && box.h > 20) {
      element.classList.add("labelled");
      element.append(group.label, box.h > 38 && box.w > 58 ? make("small", {}, format.size(group[size])) : "");
    }
    put(element, box);
    return element;
  }

  // A group shows its children if there is room; otherwise it is one cell.
  function draw(map, list, options, here) {
    const size = options.size;
    map.replaceChildren();
    const fill = (groups, box, parts_here, depth) =>
      squarify(shortened(groups, CHILDREN_MAX, size, parts_here), size, box, (group, place) => {
        if (
          group.leaf ||
          group.others ||
          depth === DEPTH_MAX ||
          place.w < 64 ||
          place.h < 56 ||
          map.childElementCount > ELEMENTS_MAX
        )
          return map.append(cell(group, place, size, options));
        const head = make(
          "a.group",
          { href: href_of(group, options), "data-tip": tip_of(group), "aria-label": tip_of(group) },
          group.label + " ",
          make("small", {}, format.size(group[size])),
        );
        put(head, place);
        map.append(head);
        fill(
          children(group.leaves, group.parts.length, size),
          { x: place.x + 3, y: place.y + HEAD + 2, w: place.w - 6, h: place.h - HEAD - 6 },
          group.parts,
          depth + 1,
        );
      });
    fill(list, { x: 0, y: 0, w: map.clientWidth, h: map.clientHeight }, here, 1);
  }

  // A map that is drawn when it is put on the page (pages.js), and again when its size changes.
  function picture(parts_here, options, small) {
    const map = make("div.map" + (small ? ".small" : ""), {
      role: "group",
      "aria-label": "Treemap of " + (parts_here.join("/") || "everything"),
    });
    const list = children(below(parts_here, options.by), parts_here.length, options.size);
    let drawn = "";
    map.redraw = () => {
      const now = map.clientWidth + "x" + map.clientHeight;
      if (now !== drawn && map.clientWidth > 0) {
        drawn = now;
        draw(map, list, options, parts_here);
      }
    };
    new ResizeObserver(map.redraw).observe(map);
    return { map, list };
  }

  const choice = (key, choices, here, options) =>
    make(
      "span.switch",
      { role: "group" },
      choices.map(([value, label]) =>
        make(
          "a",
          {
            href: address.treemap(key === "by" ? [] : here, { ...options, [key]: value }),
            "aria-current": options[key] === value ? "true" : null,
          },
          label,
        ),
      ),
    );

  function crumbs(here, options) {
    const steps = [make("a", { href: address.treemap([], options) }, "everything")];
    here.forEach((part, i) =>
      steps.push(
        make("span", { "aria-hidden": "true" }, "›"),
        make(
          "a.name",
          {
            href: address.treemap(here.slice(0, i + 1), options),
            "aria-current": i + 1 === here.length ? "page" : null,
          },
          part,
        ),
      ),
    );
    return make("div.crumbs", { "aria-label": "Path" }, steps);
  }

  function view({ parts: here, options: wanted }) {
    const options = {
      by: wanted.get("by") === "type" ? "type" : "folder",
      size: wanted.get("size") === "stored" ? "stored" : "raw",
    };
    const { map, list } = picture(here, options, false);
    const whole = list.reduce((all, group) => all + group[options.size], 0);
    return [
      make(
        "div.switches",
        {},
        choice(
          "by",
          [
            ["folder", "by folder"],
            ["type", "by type"],
          ],
          here,
          options,
        ),
        choice(
          "size",
          [
            ["raw", "raw"],
            ["stored", "stored"],
          ],
          here,
          options,
        ),
      ),
      parts.title("Sizes"),
      crumbs(here, options),
      list.length === 0
        ? parts.card(null, make("p", {}, "There is nothing here."))
        : parts.card(null, map, parts.legend(), parts.left_out()),
      list.length > 0 &&
        parts.card(
          null,
          parts.table(
            [
              {
                title: "name",
                cell: (group) =>
                  make("a.name", { href: href_of(group, options) }, group.label + (group.leaf ? "" : "/")),
              },
              { title: "names", number: true, cell: (group) => format.count(group.leaves.length) },
              { title: "share", number: true, cell: (group) => format.percent(group[options.size], whole) },
              ...lists.sizes(list[0].raw),
            ],
            list,
            50,
          ),
        ),
    ];
  }

  return { view, picture, children, below };
})();
