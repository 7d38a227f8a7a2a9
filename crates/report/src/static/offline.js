// Keeps the files of an exported page, so that it works without a network after the first visit.
"use strict";

/**
 * The part of a service worker's global scope that is used.
 * @type {any}
 */
const scope = self;
/** What the page consists of; another version has another name. */
const VERSION = "{version}";
/** @type {string[]} */
const FILES = JSON.parse('{files}');
/** Other pages of the same server have other caches. */
const OWN = `kaeshi ${scope.registration.scope} `;

scope.addEventListener("install", (/** @type {any} */ event) => {
  const files = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(OWN + VERSION).then((cache) => cache.addAll(files)));
});

scope.addEventListener("activate", (/** @type {any} */ event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith(OWN) && name !== OWN + VERSION));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => scope.clients.claim()));
});

scope.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope.registration.scope)) return;
  event.respondWith(caches.open(OWN + VERSION).then((cache) => cache.match(request, { ignoreSearch: true })).then((kept) => kept || fetch(request)));
});
