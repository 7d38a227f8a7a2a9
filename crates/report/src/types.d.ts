// The shapes that the programs of the page share; what Rust serialises has the same names there.

type Side = 0 | 1;

/** A piece, disc or stone, as `src/game/picture.rs` defines it. */
interface Man {
  side: "first" | "second";
  /** A letter of SFEN in capitals, with a plus sign if promoted; empty where there is one kind only. */
  kind: string;
}

/** A position, as `src/game/picture.rs` defines it. */
interface Picture {
  style: "pieces" | "discs" | "stones";
  columns: number;
  rows: number;
  /** The name of each cell in the game's notation, row by row from the top. */
  names: string[];
  cells: (Man | null)[];
  hands: [{ kind: string; count: number }[], { kind: string; count: number }[]];
  toMove: "first" | "second";
  number: number;
  check: number | null;
  counts: [number, number] | null;
  territory: [number[], number[]];
}

/** What is known of a game, as `src/page/files.rs` tells it. */
interface GameLook {
  /** Keys of texts, the first mover's colour first. */
  colours: [string, string];
  style: Picture["style"];
  /** Whether values are shown in hundredths. */
  hundredths: boolean;
  /** Hundredths at which the win rate is 73 %. */
  scale: number;
  /** Least and greatest number of columns. */
  sizes: [number, number];
  /** Whether turns are put together stone by stone. */
  drafts: boolean;
  /** Whether analysis shows the value of every turn on the board. */
  every: boolean;
  /** Whether the engine searches for mates. */
  mates: boolean;
  /** The language in which people write turns otherwise than protocols do. */
  local: string | null;
  /** The forms in which it is written. */
  forms: string[];
}

/** A turn that may be played: from (a square, a hand's letter, or nothing), to, and its texts. */
interface Choice {
  from: string | null;
  to: string;
  turns: string[];
}

/** What is drawn over the pieces. */
interface Overlay {
  choices?: Choice[];
  arrows?: { from: string; to: string; kind: string; label?: string }[];
  marks?: { square: string; kind: string; text?: string }[];
  territory?: boolean;
  /** Squares of the last turn, where it began first. */
  last?: string[];
  /** Squares whose men the last turn turned over. */
  turned?: string[];
  /** Whether the last turn's man is drawn at once, without gliding: the person who moved it knows where it goes. */
  still?: boolean;
}

interface Manner {
  flipped: boolean;
  pieces: "one" | "two" | "pictures" | "letters";
  coordinates: boolean;
}

/** One turn of a finished game, short names as it comes thousands of times. */
interface ReportPly {
  by: Side;
  t: string;
  j?: string;
  w?: string;
  /** Changed cells: index, new content. */
  d: [number, string][];
  /** Hands after it, where they changed: `R B2 P11`. */
  h?: [string, string];
  /** Score for the first side in hundredths; mates beyond 100 000. */
  s?: number;
  n?: number;
  k?: number;
  /** Milliseconds that it took. */
  u?: number;
  /** Milliseconds left on the mover's clock after it. */
  r?: number;
}

interface ReportGame {
  id: string;
  /** Its line in the list of games. */
  title: string;
  names: [string, string];
  result: string;
  cause: string;
  detail: string;
  /** The position in which it began. */
  start: string;
  /** Cells row by row from the top: empty, a letter of SFEN (`+p`, `K`), or `b` and `w`. */
  board: string[];
  hands: [string, string];
  opening: number;
  plies: ReportPly[];
  record: string;
  broken: string;
}

interface ReportData {
  game: string;
  /** Columns and rows of the board. */
  size: [number, number];
  /** The name of each cell. */
  names: string[];
  colours: [string, string];
  games: ReportGame[];
}

/** A position of an analysed game. */
interface AnalysedPosition {
  /** Turns made before. */
  turn: number;
  /** Cells with commas between them, as in a [`ReportGame`]. */
  board: string;
  hands: [string, string];
  side: Side;
  /** Value for the first side; none where nothing was found. */
  s: number | null;
  /** Proven. */
  x: boolean;
  /** Per cent that the first side wins. */
  rate: number;
  /** The turn that led here. */
  moved: { t: string; j?: string; w?: string; g?: number; b?: { t: string; j?: string; w?: string; loss?: string } } | null;
  /** All lines of MultiPV, best first. */
  lines: { s: number; x: boolean; t: string; j?: string; w?: string; first?: string }[];
  keep?: { t: string; j?: string; w?: string }[];
}

interface AnalysedGame {
  game: string;
  /** Columns and rows of the board. */
  size: [number, number];
  /** The name of each cell. */
  names: string[];
  /** The players, first mover first; empty where they are not known. */
  sides: [string, string];
  /** The position in which it began; empty where that was not analysed. */
  start: string;
  positions: AnalysedPosition[];
}

// --- what `kaeshi live` sends to its page ---

/** A game that is being played. */
interface RunningGame {
  game: string;
  id: string;
  names: [string, string];
  /** The position in which it began. */
  start: string;
  ply: number;
  last_turn: { t: string; j?: string; w?: string } | null;
  picture: Picture;
  last: string[];
  turned: string[];
  /** What each player said last, for the first one, as in a [`ReportPly`]. */
  scores: [number | null, number | null];
  /** Milliseconds left on each clock when the side to move began to think. */
  rest: [number | null, number | null];
  /** Milliseconds since then. */
  thinking: number;
}

interface LiveReport {
  title: string;
  /** What the report of the match says, but for the games. */
  html: string;
  games: ReportData;
}

interface LiveState {
  version: number;
  report: LiveReport | null;
  trouble: string | null;
  running: RunningGame[];
}

// --- what `kaeshi play` sends to its page ---

interface PlayNode {
  parent: number;
  ply: number;
  by: Side;
  /** The turn in the words of the protocol, in Japanese and in Western notation. */
  t: string;
  j?: string;
  w?: string;
  s?: number;
  x?: boolean;
  g?: number;
  b?: { t: string; j?: string; w?: string; loss?: string };
  /** A comment. */
  c?: string;
  /** Milliseconds used. */
  u?: number;
  e?: PlayOver;
}

interface PlaySettings {
  analysis: boolean;
  mistakes: boolean;
  /** Milliseconds for each of Kaeshi's turns where no clock runs. */
  thinking: number | null;
  threads: number | null;
  /** MiB. */
  hash: number | null;
  lines: number | null;
}

interface PlayOver { winner: Side | null; cause: string; margin: number }

/** A position of a line that is shown as a try-out. */
interface Frame {
  picture: Picture;
  last: string[];
  turned: string[];
  t: string;
  j?: string;
  w?: string;
}

/** A turn that was played from a position in other games. */
interface Continuation {
  t: string;
  j?: string;
  w?: string;
  games: number;
  /** Games that the first side won, that were drawn, and that the second side won. */
  results: [number, number, number];
}

/** A game of the list of all games. */
interface GameEntry {
  id: string;
  game: string;
  title: string;
  seats: [Seat, Seat];
  mode: "play" | "study";
  over: PlayOver | null;
  plies: number;
  handicap: string;
  columns: number;
  /** Milliseconds since 1970. */
  changed: number;
}

/** A file of the list of all games that holds no game of this program. */
interface UnreadableGame {
  id: string;
  /** What is wrong with it. */
  reason: string;
}

/** A game of a file that holds several. */
interface FileGame {
  pick: number;
  game: string;
  /** The position in which it began. */
  start: string;
  names: [string, string];
  event: string;
  date: string;
  plies: number;
  result: string;
}

interface Seat {
  kind: "person" | "engine";
  level: number;
  name: string;
}

interface Reason {
  code: string;
  point?: string;
  other?: string;
  text?: string;
}

interface Draft {
  stones: string[];
  captured: string[];
  /** Points by what a stone there would be: `grow`, `place`, `balance`. */
  points: Record<string, "grow" | "place" | "balance">;
  refused: Record<string, Reason>;
  /** Own groups that can still grow: one stone of each, and all stones. */
  groups: string[][];
  grown: number;
  /** Why the turn cannot end like this; nothing if it can. */
  open: Reason | null;
}

interface PlayState {
  v: number;
  room: string;
  game: string;
  scale: number;
  seats: [Seat, Seat];
  picture: Picture;
  last: string[];
  turned: string[];
  side: Side;
  node: number;
  live: number;
  nodes: PlayNode[];
  start: string;
  position: string;
  choices: Choice[];
  /** Reversi: what a turn turns over, and how many replies it leaves. */
  effects?: Record<string, [number, number]>;
  draft: Draft | null;
  may: { pass: boolean; takeBack: boolean; resign: boolean; claim: boolean; count: boolean; replay: boolean };
  claim: { points: number; needed: number; entered: number } | null;
  over: PlayOver | null;
  /** The point rule of an impasse: 24 or 27. */
  impasse: number;
  /** Points of both sides where both kings have entered. */
  points: [number, number] | null;
  mode: "play" | "study";
  thinking: boolean;
  paused: boolean;
  clock: { minutes: number; byoyomi: number; increment: number } | null;
  /** Main time and byoyomi left, in ms, when this was sent. */
  clocks: [[number, number], [number, number]] | null;
  running: Side | null;
  /** Whose clock runs. */
  ticking: Side | null;
  /** What the engine is asked for and has not answered yet. */
  asked: "hint" | "mate" | "solve" | null;
  settings: PlaySettings;
  /** Least and greatest values of the engines' options; of `thinking` in ms. */
  ranges: { threads: [number, number]; hash: [number, number]; lines: [number, number]; thinking: [number, number] };
  review: { done: number; total: number; sides: { accuracy: number | null; grades: number[]; turns: number; best: number }[] | null } | null;
  note: { code: string; values?: Record<string, string> } | null;
  record: string | null;
  handicap: string;
  title: string;
  /** Why the game is not kept, if it is not. */
  unkept: string | null;
  tags: [string, string][];
}

interface SearchLine {
  s: number;
  x: boolean;
  t: string[];
  j?: string;
  w?: string;
}

interface SearchReport {
  node: number;
  kind: "analysis" | "hint" | "solve" | "mate";
  depth: number;
  nodes: number;
  ms: number;
  lines: SearchLine[];
  done: boolean;
  mate?: string;
}
