// How the page reaches the program: by HTTP. An exported page has `static/wire.js` in this place.

/** The token of the link, where the program wants one. */
const token = new URLSearchParams(location.search).get("token") || "";

/** Whether the program runs inside the page. */
export const hosted = false;

/**
 * The answer to a request.
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<Response>}
 */
export const request = (path, init) => fetch(withToken(path), init);

/**
 * What happens in a room, as events.
 * @param {string} room
 * @returns {EventSource}
 */
export const events = (room) => new EventSource(withToken("/api/room/" + encodeURIComponent(room) + "/events"));

/** @param {string} path */
const withToken = (path) => token ? `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}` : path;
