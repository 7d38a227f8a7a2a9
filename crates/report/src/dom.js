// The few words in which a page is built.

/** @param {string} id @returns {HTMLElement} */
export function at(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no #${id}`);
  return node;
}

/**
 * A new element; text is set as text, never as markup.
 * @param {string} name @param {Record<string, string | number | boolean>} [attributes] @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const key in attributes) {
    if (attributes[key] !== false) node.setAttribute(key, String(attributes[key]));
  }
  node.append(...children);
  return node;
}

/**
 * A new element of SVG at the end of `parent`.
 * @param {Element} parent @param {string} name @param {Record<string, string | number>} [attributes] @param {string} [text]
 * @returns {SVGElement}
 */
export function draw(parent, name, attributes = {}, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, String(attributes[key]));
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

/**
 * Scrolls a list, and nothing else, so that an item of it is in sight.
 * @param {HTMLElement} list @param {Element | null} item
 */
export function reveal(list, item) {
  if (!item) return list.scrollTo({ top: 0 });
  const place = item.getBoundingClientRect(), frame = list.getBoundingClientRect();
  if (place.top < frame.top || place.bottom > frame.bottom) list.scrollTop += place.top - frame.top - (list.clientHeight - place.height) / 2;
}

/** Whether people ask for less motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether the machine has a font with Japanese: a missing glyph is drawn as the same box for every character. */
export function hasKanji() {
  kanji ??= findKanji();
  return kanji;
}

/** @type {boolean | undefined} */
let kanji;

function findKanji() {
  /** @param {string} text */
  const pixels = (text) => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 24;
    const pen = canvas.getContext("2d");
    if (!pen) return text;
    pen.font = "20px serif";
    pen.fillText(text, 2, 20);
    return pen.getImageData(0, 0, 24, 24).data.join();
  };
  return pixels("歩") !== pixels("馬") && pixels("飛") !== pixels("\u{10ffff}");
}
