// The games of one file, which stay together after a reload.

/**
 * A file with several games: what was loaded, the rooms of those that were opened, and the one that is shown.
 * @typedef {{ content: Blob | string, games: FileGame[], rooms: Record<number, string>, pick: number }} Chapters
 */

/** Where a tab keeps its file for the time after a reload. */
const CHAPTERS = "kaeshi-chapters";

/**
 * Keeps the file for a reload of this tab, if the browser has room for it.
 * @param {Chapters} file
 */
export async function keepChapters(file) {
  const bytes = new Uint8Array(await new Blob([file.content]).arrayBuffer());
  let content = "";
  for (const byte of bytes) content += String.fromCharCode(byte);
  try {
    sessionStorage.setItem(CHAPTERS, JSON.stringify({ ...file, content }));
  } catch {
    sessionStorage.removeItem(CHAPTERS);
  }
}

/**
 * The file that this tab had before a reload.
 * @returns {Chapters | null}
 */
export function keptChapters() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(CHAPTERS) || "null");
    return kept && { ...kept, content: new Blob([Uint8Array.from(kept.content, (/** @type {string} */ sign) => sign.charCodeAt(0))]) };
  } catch {
    return null;
  }
}
