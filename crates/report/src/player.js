// The games of a report.
import { at } from "./dom.js";
import { showGames } from "./games.js";
import { setLanguage } from "./words.js";

setLanguage("en");
showGames(JSON.parse(at("data").textContent || "{}"));
document.body.dataset.ready = "1";
