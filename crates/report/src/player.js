// The games of a report.
import { at } from "./dom.js";
import { redrawGames, showGames } from "./games.js";
import { readerBar, setReported } from "./reader.js";

/** @type {Partial<ReportData>} */
const found = JSON.parse(at("data").textContent || "{}");
setReported(found.games || []);
readerBar(found.game || "", null, redrawGames);
if (found.games) showGames(/** @type {ReportData} */ (found));
document.body.dataset.ready = "1";
