// A board as a separate file.

/**
 * A drawn board as the text of an SVG file: everything it needs is inside.
 * @param {SVGElement} svg @param {{ width: number, height: number }} size
 */
export function standalone(svg, { width, height }) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  copy.querySelectorAll(".layer-cells, .layer-ghost").forEach((node) => node.remove());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const originals = [...svg.querySelectorAll("*")].filter((node) => !node.closest(".layer-cells, .layer-ghost"));
  const copies = [...copy.querySelectorAll("*")];
  const kept = ["fill", "stroke", "stroke-width", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "stroke-dasharray", "stroke-linecap"];
  originals.forEach((node, index) => {
    const style = getComputedStyle(node), target = copies[index];
    for (const name of kept) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" || name === "fill" || name === "stroke") target?.setAttribute(name, value);
    }
    target?.removeAttribute("class");
  });
  return new XMLSerializer().serializeToString(copy);
}
