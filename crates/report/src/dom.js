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

/** What `update` hands over beside attributes and children. */
const HANDLERS = /** @type {const} */ (["onclick", "onchange", "onpointerenter", "onpointerleave"]);

/**
 * Gives `host` these children. Elements that are there already, by name, id and `data-` attributes, stay and become like
 * the new ones: a button that is replaced between press and release takes no click, and loses the focus. Event handlers
 * have to be properties (`onclick`), as listeners cannot be handed over.
 * @param {Element} host @param {...(Node | string)} children
 */
export function update(host, ...children) {
  const left = [...host.childNodes];
  const wanted = children.map((child) => {
    const made = typeof child === "string" ? document.createTextNode(child) : child, place = left.findIndex((node) => identity(node) === identity(made));
    if (place < 0) return made;
    const [kept] = left.splice(place, 1);
    if (kept instanceof HTMLElement && made instanceof HTMLElement) become(kept, made);
    else if (kept.nodeValue !== made.nodeValue) kept.nodeValue = made.nodeValue;
    return kept;
  });
  for (const node of left) node.remove();
  // What is in its place is not moved: that would be a removal, too.
  let next = host.firstChild;
  for (const node of wanted) {
    if (node === next) next = node.nextSibling;
    else host.insertBefore(node, next);
  }
}

/** @param {Node} node */
const identity = (node) => node.nodeName + (node instanceof HTMLElement ? node.id + JSON.stringify(node.dataset) : "");

/** @param {HTMLElement} kept @param {HTMLElement} made */
function become(kept, made) {
  for (const { name } of [...kept.attributes]) if (!made.hasAttribute(name)) kept.removeAttribute(name);
  for (const { name, value } of made.attributes) if (kept.getAttribute(name) !== value) kept.setAttribute(name, value);
  for (const name of HANDLERS) kept[name] = /** @type {any} */ (made[name]);
  update(kept, ...made.childNodes);
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
