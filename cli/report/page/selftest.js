// With #selftest in the address, the page checks itself in the browser and appends the result, which the tests read.
// Otherwise it only starts.
const selftest = (() => {
  const failures = [];
  let checks = 0;
  const check = (good, what) => {
    ++checks;
    if (!good) failures.push(what);
  };
  const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  async function open(hash) {
    location.hash = hash;
    await later(30);
    return document.getElementById("main");
  }

  // No text of the facts may have become markup.
  function check_markup(where) {
    const main = document.getElementById("main");
    check(document.scripts.length === 2, where + ": there is a foreign script");
    check(
      !document.querySelector(
        "main img, main script, main iframe, main object, main embed, main style, main form, main base, main meta",
      ),
      where + ": there is a foreign element",
    );
    for (const element of main.querySelectorAll("*"))
      for (const { name, value } of element.attributes)
        if (name.startsWith("on") || (name === "href" && !value.startsWith("#")) || name === "src")
          check(false, where + ": attribute " + name + "=" + value);
    check(typeof window.hostile === "undefined", where + ": a script of the bundle ran");
  }

  function check_map(where) {
    const map = document.querySelector(".map");
    if (!map) return;
    const frame = map.getBoundingClientRect(),
      boxes = [...map.querySelectorAll("a.cell")]
        .map((cell) => cell.getBoundingClientRect())
        .filter((box) => box.width > 0.5 && box.height > 0.5);
    check(boxes.length > 0, where + ": the map is empty");
    check(
      boxes.every(
        (box) =>
          box.left >= frame.left - 1 &&
          box.right <= frame.right + 1 &&
          box.top >= frame.top - 1 &&
          box.bottom <= frame.bottom + 1,
      ),
      where + ": a cell leaves the map",
    );
    const overlap = boxes
      .slice(0, 300)
      .some((a, i) =>
        boxes
          .slice(i + 1, 300)
          .some(
            (b) =>
              Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
              Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1,
          ),
      );
    check(!overlap, where + ": two cells overlap");
  }

  async function check_views() {
    for (const view of Object.keys(pages.views)) {
      const main = await open("#/" + (view === "overview" ? "" : view));
      check(main.dataset.view === view && main.querySelector("h1"), view + ": is not shown");
      check_markup(view);
      check_map(view);
    }
    for (const hash of ["#/treemap?by=type", "#/treemap?size=stored", "#/treemap?by=type&size=stored"]) {
      await open(hash);
      check_markup(hash);
      check_map(hash);
    }
    for (const hash of [
      "#/nonsense",
      "#/%",
      "#/__proto__",
      "#/constructor/x",
      "#/treemap/nowhere",
      "#/asset/nowhere",
      "#/asset/%E0%A4%A",
      "#/bundles/99",
      "#/id/zz",
    ]) {
      const main = await open(hash);
      check(main.querySelector("h1"), hash + ": shows nothing");
      check_markup(hash);
    }
  }

  // Every name has a view, whose title is the name.
  async function check_names() {
    const step = Math.max(1, Math.floor(facts.names.length / 150));
    for (let i = 0; i < facts.names.length; i += step) {
      const name = facts.names[i];
      pages.show(address.name(name)); // browsers allow about 200 changes of the address in ten seconds
      check(
        document.querySelector("main h1").textContent === name.text,
        "asset: " + name.text + " shows " + document.querySelector("main h1").textContent,
      );
      check_markup("asset " + name.text);
      check(search.find(name.text).includes(name), "search: does not find " + name.text);
    }
  }

  // The sums over folders and over types are the totals of the bundles, whatever was summed up.
  function check_sums() {
    for (const by of ["folder", "type"]) {
      const list = treemap.children(treemap.below([], by), 0, "raw");
      const sum = (key) => list.reduce((all, group) => all + group[key], 0);
      check(sum("raw") === facts.raw, "sizes by " + by + ": " + sum("raw") + " raw bytes instead of " + facts.raw);
      check(
        sum("stored") === facts.stored,
        "sizes by " + by + ": " + sum("stored") + " stored bytes instead of " + facts.stored,
      );
    }
  }

  // What changed by folder, type and owner is what the totals changed by; and the plot has two bars per folder.
  async function check_since() {
    const found = facts.since;
    if (!found) return;
    for (const key of ["folders", "types", "owners", "assets"]) {
      if (found[key].total > found[key].list.length) continue;
      for (const bytes of ["raw_bytes", "stored_bytes"]) {
        const all = found[key].list.reduce((sum, row) => sum + since.change(row, bytes), 0);
        check(all === since.change(found, bytes), "since: " + key + " changed by " + all + " " + bytes);
      }
    }
    const main = await open("#/since"),
      bars = [...main.querySelectorAll(".plot rect")];
    check(bars.length === 2 * Math.min(20, found.folders.list.length), "since: " + bars.length + " bars");
    check(
      bars.every((bar) => Number(bar.getAttribute("width")) >= 0 && Number(bar.getAttribute("width")) <= 520),
      "since: a bar leaves the plot",
    );
  }

  // Uses the page as a person does: clicks into the map, goes back by the crumbs, types a search.
  async function check_clicks() {
    await open("#/treemap");
    const group = document.querySelector(".map a.group");
    if (group) {
      const wanted = group.getAttribute("href");
      group.click();
      await later(30);
      check(location.hash === wanted, "map: a click does not lead into the folder");
      check(document.querySelector(".crumbs a[aria-current]"), "map: no crumb for the folder");
      check_map("the folder");
      document.querySelector(".crumbs a").click();
      await later(30);
      check(location.hash === "#/treemap", "map: the first crumb does not lead back");
    }
    const field = document.getElementById("search"),
      first = facts.names[0];
    if (first) {
      field.value = first.text;
      field.dispatchEvent(new Event("input"));
      check(document.querySelector("main .name mark"), "search: typing shows no name");
      document.querySelector("main a.name").click();
      await later(30);
      check(document.getElementById("main").dataset.view === "asset", "search: a result does not lead to its asset");
    }
    const linked = facts.assets.find((asset) => asset.out.some((reference) => reference.to && reference.to !== asset));
    if (linked) {
      await open(address.asset(linked));
      check(document.querySelector(".walk svg path"), "references: no line is drawn");
      document.querySelector(".walk .side:last-child a.node").click();
      await later(30);
      check(document.querySelector(".walk .side:first-of-type a.node"), "references: the way back is not shown");
    }
    const cell = (await open("#/treemap")).querySelector("[data-tip]");
    if (cell) {
      cell.focus();
      check(!document.getElementById("tip").hidden, "map: a cell that has the focus shows no tip");
    }
  }

  async function run() {
    try {
      check_sums();
      await check_since();
      await check_views();
      await check_names();
      await check_clicks();
    } catch (error) {
      failures.push("threw: " + error.stack);
    }
    const verdict = make("pre", { id: "selftest" });
    verdict.textContent =
      failures.length === 0
        ? "selftest: " + checks + " checks, all good"
        : "selftest: " + failures.length + " failed\n" + failures.slice(0, 30).join("\n");
    document.body.append(verdict);
  }
  return { run };
})();

{
  const wanted = location.hash === "#selftest";
  pages.start();
  if (wanted) selftest.run();
}
