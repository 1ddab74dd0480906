// The addresses of the views, the list of views, tooltips and keys.
const pages = (() => {
  const views = {
    overview,
    treemap: treemap.view,
    biggest: lists.biggest,
    duplicates: lists.duplicates,
    compression: lists.compression,
    since: since.view,
    conflicts: findings.conflicts,
    links: findings.links,
    "left-out": findings.left_out,
    missing: findings.missing,
    unused: findings.unused,
    roots: findings.roots,
    bundles: bundles_view,
    asset: asset_view.of_name,
    id: asset_view.of_id,
    search: search.view,
  };
  const list = [
    ["overview", "Overview"],
    ["treemap", "Sizes"],
    ["biggest", "Biggest"],
    ["duplicates", "Duplicates"],
    ["compression", "Compression"],
    ["since", "Since"],
    [null, "Findings"],
    ["conflicts", "Conflicts", "warn", findings.counts.conflicts],
    ["links", "Unresolved", "bad", findings.counts.links],
    ["left-out", "Left out", "bad", findings.counts.left_out],
    ["missing", "Missing", "bad", () => findings.counts.missing() + findings.counts.broken()],
    ["unused", "Unused", "warn", findings.counts.unused],
    [null, "Structure"],
    ["roots", "Roots"],
    ["bundles", "Bundles"],
  ];
  const main = document.getElementById("main"),
    tip = document.getElementById("tip"),
    field = document.getElementById("search");

  function navigation() {
    document.getElementById("nav").replaceChildren(
      ...list.map(([view, label, tone, count]) => {
        if (view === null) return make("div.kind", {}, label);
        const found = count ? count() : 0;
        return make(
          "a",
          { href: "#/" + (view === "overview" ? "" : view), "data-view": view },
          label,
          found > 0 ? make("span.badge." + tone, {}, format.count(found)) : null,
        );
      }),
    );
  }

  function show(hash) {
    if (hash === "#main") return; // the link that skips the list of views
    const where = read_address(hash);
    const view = Object.hasOwn(views, where.view) ? where.view : "overview";
    tip.hidden = true;
    main.dataset.view = view;
    main.replaceChildren(
      ...views[view](where)
        .flat(Infinity)
        .filter((part) => part instanceof Node),
    );
    for (const drawing of main.querySelectorAll(".map, .walk")) if (drawing.redraw) drawing.redraw();
    for (const link of document.querySelectorAll("#nav a"))
      if (link.dataset.view === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    document.title = main.querySelector("h1").textContent + " · Fardel report";
    if (view === "search" && document.activeElement !== field) field.value = where.parts.join("/");
    if (document.activeElement !== field) {
      scrollTo(0, 0);
      if (shown_once) main.focus({ preventScroll: true });
    }
    shown_once = true;
  }
  let shown_once = false;

  function show_tip(event) {
    const target = event.target.closest ? event.target.closest("[data-tip]") : null;
    tip.hidden = !target;
    if (!target) return;
    tip.textContent = target.dataset.tip;
    const box = target.getBoundingClientRect(),
      x = event.clientX ?? box.left,
      y = event.clientY ?? box.bottom;
    tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (y + 18 + tip.offsetHeight > innerHeight ? Math.max(4, y - tip.offsetHeight - 10) : y + 18) + "px";
  }

  function start() {
    navigation();
    document.getElementById("subject").textContent = facts.bundles
      .map((bundle) => bundle.label + (bundle.version ? " " + bundle.version : ""))
      .join(" · ");
    addEventListener("hashchange", () => show(location.hash));
    for (const kind of ["pointermove", "focusin"]) main.addEventListener(kind, show_tip);
    for (const kind of ["pointerleave", "focusout"])
      main.addEventListener(kind, () => {
        tip.hidden = true;
      });
    field.addEventListener("input", () => {
      const wanted = field.value ? address.search(field.value) : "#/";
      history.replaceState(null, "", wanted);
      show(wanted);
    });
    addEventListener("keydown", (event) => {
      if (event.key === "/" && document.activeElement !== field) {
        event.preventDefault();
        field.focus();
        field.select();
      }
      if (event.key === "Escape") {
        tip.hidden = true;
        if (document.activeElement === field) field.blur();
      }
    });
    show(location.hash);
  }

  return { start, show, views };
})();
