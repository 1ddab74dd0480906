// Formats numbers, creates elements, and reads and writes addresses within the page. Text only becomes text nodes.
const format = {
  size(bytes) {
    const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let size = bytes,
      unit = 0;
    while (size >= 999.95 && unit + 1 < units.length) {
      size /= 1000;
      ++unit;
    }
    return (unit === 0 ? String(size) : size.toFixed(1)) + " " + units[unit];
  },
  count: (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ","),
  several: (count, one, many) => format.count(count) + " " + (count === 1 ? one : many),
  percent: (part, whole) => (whole > 0 ? ((100 * part) / whole).toFixed(part * 10 < whole ? 1 : 0) : "0") + " %",
  id: (id) => id.slice(0, 16) + "…",
};

// make("a.name", { href }, "text", element, …) creates an element; its children are never parsed as markup.
function make(tag, properties, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties || {}))
    if (key === "href") element.setAttribute("href", value.startsWith("#") ? value : "#/");
    else if (value !== undefined && value !== null) element.setAttribute(key, value);
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

const address = {
  path: (text) => text.split("/").map(encodeURIComponent).join("/"),
  name(name) {
    const ambiguous = facts.find(name.text) !== name;
    return "#/asset/" + address.path(name.text) + (ambiguous ? "?bundle=" + name.bundle : "");
  },
  asset: (asset) => (asset.names.length ? address.name(asset.names[0]) : "#/id/" + asset.id),
  search: (words) => "#/search/" + encodeURIComponent(words),
  treemap(parts, options) {
    const wanted = Object.entries(options).filter(
      ([key, value]) => value && value !== { by: "folder", size: "raw" }[key],
    );
    return (
      "#/treemap" +
      parts.map((part) => "/" + encodeURIComponent(part)).join("") +
      (wanted.length ? "?" + wanted.map(([key, value]) => key + "=" + encodeURIComponent(value)).join("&") : "")
    );
  },
};

// "#/treemap/a/b?by=type" → { view, parts, options }; a malformed address leads to the overview.
function read_address(hash) {
  try {
    const [path, query] = hash.replace(/^#\/?/, "").split("?");
    const [view, ...parts] = path.split("/").map(decodeURIComponent);
    const options = new Map(
      (query || "")
        .split("&")
        .filter(Boolean)
        .map((pair) => pair.split("=").map(decodeURIComponent)),
    );
    return { view: view || "overview", parts: parts.filter((part) => part !== ""), options };
  } catch {
    return { view: "overview", parts: [], options: new Map() };
  }
}
