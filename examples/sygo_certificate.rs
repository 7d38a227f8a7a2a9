//! Confirms certificates of exact values of Sygo, as `kaeshi solve --game sygo --certificate FILE` writes them.
//!
//! usage: cargo run --release --example sygo_certificate -- FILE...
//!
//! Nothing of the program is used here: the rules are written once more, stone by stone, from their text. For
//! each side the file has a turn for every position in which that side may have to move. The checker plays this
//! turn, lets the other side play everything that the rules allow, and asks for a turn again, to the end of
//! every game; there it counts. So it trusts no value and no turn of the file. `docs/reference/sygo-engine.md`
//! describes the format.
//!
//! The exit code is 0 if every file is confirmed, 1 if one is refused, 2 for a wrong command line.

use std::collections::HashSet;
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Write as _};
use std::process::ExitCode;

/// The first line of a file.
const TITLE: &str = "sygo certificates 1";
/// Points of the largest board; the bits above are for flags.
const MOST_POINTS: usize = 121;
/// Columns and rows at most.
const LONGEST: usize = 19;
const WHITE: usize = 0;
const BLACK: usize = 1;

fn main() -> ExitCode {
    let files: Vec<_> = std::env::args_os().skip(1).collect();
    if files.is_empty() {
        let _ = writeln!(io::stderr(), "usage: sygo_certificate FILE...");
        return ExitCode::from(2);
    }
    let mut code = ExitCode::SUCCESS;
    for name in files {
        let file = name.display();
        let read = File::open(&name).map_err(|error| Refused { line: 0, reason: error.to_string() });
        let said = match read.and_then(|file| check(BufReader::with_capacity(1 << 20, file))) {
            Ok(confirmed) => {
                let lines = confirmed.iter().map(|confirmed| format!("{confirmed}\n"));
                writeln!(io::stdout(), "{}{file}: confirmed", lines.collect::<String>())
            }
            Err(refused) => {
                code = ExitCode::from(1);
                writeln!(io::stdout(), "{file}: refused: {refused}")
            }
        };
        if said.is_err() {
            return ExitCode::from(1);
        }
    }
    code
}

/// Why a file proves nothing.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// Number of the line, from 1; 0 for the file as a whole.
    pub line: u64,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(out, "line {}: ", self.line)?;
        }
        out.write_str(&self.reason)
    }
}

/// A value that is proved.
#[derive(Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// The position.
    pub position: String,
    /// White's margin: White's points less Black's.
    pub value: i32,
    /// Turns that prove that White gets at least the value, and that Black prevents more.
    pub turns: [u64; 2],
}

impl fmt::Display for Confirmed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Confirmed { position, value, turns: [white, black] } = self;
        write!(out, "{position}: {value:+} for White, by {white} turns of White and {black} of Black")
    }
}

/// Confirms all certificates of a file.
///
/// # Errors
/// The first faulty line, and its fault.
pub fn check(file: impl BufRead) -> Result<Vec<Confirmed>, Refused> {
    let mut lines = Lines { file, number: 0, text: String::new() };
    if lines.next()? != TITLE {
        return Err(lines.refuse(format!("not a file of certificates: it does not begin with '{TITLE}'")));
    }
    let mut confirmed = Vec::new();
    loop {
        let line = lines.next()?;
        if let Some(position) = line.strip_prefix("position ") {
            let position = position.to_owned();
            confirmed.push(certificate(&mut lines, position)?);
        } else if let Some(count) = line.strip_prefix("complete ") {
            if confirmed.is_empty() || count != confirmed.len().to_string() {
                return Err(lines.refuse(format!("{} certificates came before", confirmed.len())));
            }
            lines.end()?;
            return Ok(confirmed);
        } else {
            return Err(lines.refuse("neither a position nor the end of the file"));
        }
    }
}

/// The lines of a file, with the number of the present one.
struct Lines<R> {
    file: R,
    number: u64,
    text: String,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<&str, Refused> {
        self.number += 1;
        self.text.clear();
        match self.file.read_line(&mut self.text) {
            Ok(0) => Err(self.refuse("the file ends before its last line")),
            Ok(_) => match self.text.strip_suffix('\n') {
                Some(line) => Ok(line),
                None => Err(self.refuse("the line is cut off")),
            },
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(self.refuse("no text")),
            Err(error) => Err(self.refuse(error.to_string())),
        }
    }

    fn end(&mut self) -> Result<(), Refused> {
        self.number += 1;
        match self.file.fill_buf() {
            Ok([]) => Ok(()),
            Ok(_) => Err(self.refuse("something stands behind the last line")),
            Err(error) => Err(self.refuse(error.to_string())),
        }
    }

    fn refuse(&self, reason: impl Into<String>) -> Refused {
        Refused { line: self.number, reason: reason.into() }
    }
}

/// Confirms one certificate, of which the first line was read.
fn certificate<R: BufRead>(lines: &mut Lines<R>, name: String) -> Result<Confirmed, Refused> {
    let (grid, root, over) = start(&name).map_err(|reason| lines.refuse(reason))?;
    let value = lines.next()?.strip_prefix("value ").and_then(signed);
    let value = value.ok_or_else(|| lines.refuse("no value, such as 'value +9'"))?;
    if lines.next()? != "white" {
        return Err(lines.refuse("'white' is missing"));
    }
    let mut turns = [0; 2];
    for side in [WHITE, BLACK] {
        let points = if side == WHITE { value } else { -value };
        let mut proof = Proof { grid: &grid, side, points, needed: HashSet::new() };
        proof.begin(root, over).map_err(|reason| lines.refuse(reason))?;
        loop {
            let line = lines.next()?;
            if (side == WHITE && line == "black") || (side == BLACK && line.starts_with("end ")) {
                break;
            }
            proof.answer(line).map_err(|reason| lines.refuse(reason))?;
            turns[side] += 1;
        }
        if let Some(&missing) = proof.needed.iter().min() {
            let missing = grid.name(missing, side);
            return Err(lines.refuse(format!("no turn for {missing}, or the same board turned or mirrored")));
        }
    }
    let end = format!("end {} {}", turns[WHITE], turns[BLACK]);
    if lines.text.strip_suffix('\n') != Some(&end) {
        return Err(lines.refuse(format!("'{end}' should stand here")));
    }
    Ok(Confirmed { position: name, value, turns })
}

/// One side's part of a certificate: that it gets the stated points, whatever the other side plays.
///
/// A line answers a position that was needed. Then all positions are needed in which the side moves next. If none
/// is left at the end, every game that the other side can choose was followed to its end; games are finite,
/// as each turn but a pass fills a point.
struct Proof<'a> {
    grid: &'a Grid,
    side: usize,
    /// The side's points less the other's.
    points: i32,
    needed: HashSet<Key>,
}

impl Proof<'_> {
    fn begin(&mut self, root: Position, over: bool) -> Result<(), String> {
        if over {
            self.count(&root.board)
        } else if root.side == self.side {
            self.need(root);
            Ok(())
        } else {
            self.follow(root)
        }
    }

    /// Reads a position and its turn, and follows it.
    fn answer(&mut self, line: &str) -> Result<(), String> {
        let (position, turn) = line.rsplit_once(' ').ok_or("neither a position with a turn nor an end")?;
        let (grid, position, over) = start(position)?;
        if (grid.columns, grid.rows) != (self.grid.columns, self.grid.rows) {
            return Err("a board of another size".into());
        }
        if over || position.side != self.side || !self.needed.remove(&self.grid.key(position)) {
            return Err("no game comes to this position, or it has a turn already".into());
        }
        match self.grid.turn(turn)? {
            None if position.passed => self.count(&position.board),
            None => self.follow(Position { side: 1 - self.side, passed: true, ..position }),
            Some((growth, placement)) => {
                let (board, grown) = self.grid.play(position, growth, placement)?;
                self.follow(Position { board, side: 1 - self.side, grown, passed: false })
            }
        }
    }

    /// The other side is to move: whatever it plays, the position after it is needed.
    fn follow(&mut self, position: Position) -> Result<(), String> {
        for (board, grown) in self.grid.turns(position) {
            self.need(Position { board, side: self.side, grown, passed: false });
        }
        if position.passed {
            return self.count(&position.board);
        }
        self.need(Position { side: self.side, passed: true, ..position });
        Ok(())
    }

    fn need(&mut self, position: Position) {
        self.needed.insert(self.grid.key(position));
    }

    /// The game is over here.
    fn count(&self, board: &Board) -> Result<(), String> {
        let for_white = self.grid.score(board);
        let points = if self.side == WHITE { for_white } else { -for_white };
        if points >= self.points {
            return Ok(());
        }
        Err(format!("a game ends here with {points:+} points for the side, which claims {:+}", self.points))
    }
}

/// A set of points, one bit each: column + row * columns.
type Set = u128;
/// The key of a position and all its images; see [`Grid::key`].
type Key = [Set; 2];

/// The stones of White and of Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// White's stones, then Black's.
    pub stones: [Set; 2],
}

/// A position in which the game goes on.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The stones.
    pub board: Board,
    /// The side to move.
    pub side: usize,
    /// Whether a side has grown.
    pub grown: bool,
    /// Whether the other side has just passed.
    pub passed: bool,
}

/// An empty board.
pub struct Grid {
    columns: usize,
    rows: usize,
    all: Set,
    first_column: Set,
    last_column: Set,
    /// For each symmetry the image of each point.
    images: Vec<Vec<Set>>,
}

/// The points of a set, one by one.
fn each(mut set: Set) -> impl Iterator<Item = Set> {
    std::iter::from_fn(move || {
        let point = set & set.wrapping_neg();
        set &= !point;
        (point != 0).then_some(point)
    })
}

/// `+9`, `-5` or `+0`.
fn signed(text: &str) -> Option<i32> {
    let value = text.parse().ok()?;
    (format!("{value:+}") == text).then_some(value)
}

/// Reads the first four fields of a position; whether the game is over comes last.
///
/// # Errors
/// What is wrong with it.
pub fn start(text: &str) -> Result<(Grid, Position, bool), String> {
    let fields: Vec<&str> = text.split(' ').collect();
    let [rows, side, grown, passes] = fields[..] else { return Err(format!("no position: '{text}'")) };
    let rows: Vec<&str> = rows.split('/').collect();
    let mut board = Board { stones: [0; 2] };
    let mut columns = None;
    for (row, cells) in rows.iter().rev().enumerate() {
        let width = columns.unwrap_or(LONGEST);
        let mut column = 0;
        let mut run = 0;
        for cell in cells.chars() {
            match cell {
                'w' | 'b' if column + run < width => {
                    column += run;
                    run = 0;
                    // The columns of the first row that is read are known when it ends: it begins at point 0.
                    let point = 1 << (row * columns.unwrap_or(0) + column);
                    board.stones[usize::from(cell == 'b')] |= point;
                    column += 1;
                }
                '0'..='9' if run > 0 || cell != '0' => run = run * 10 + cell as usize - '0' as usize,
                _ => return Err(format!("no row: '{cells}'")),
            }
            if run > LONGEST {
                return Err(format!("no row: '{cells}'"));
            }
        }
        let length = column + run;
        if length == 0 || length != *columns.get_or_insert(length) || length > LONGEST {
            return Err(format!("no row of this board: '{cells}'"));
        }
        if length * rows.len() > MOST_POINTS || rows.len() > LONGEST {
            return Err("too large a board".into());
        }
    }
    let grid = Grid::new(columns.unwrap_or(0), rows.len());
    let side = match side {
        "w" => WHITE,
        "b" => BLACK,
        _ => return Err(format!("no side to move: '{side}'")),
    };
    let grown = match grown {
        "g" => true,
        "-" => false,
        _ => return Err(format!("neither 'g' nor '-': '{grown}'")),
    };
    let (passed, over) = match passes {
        "0" => (false, false),
        "1" => (true, false),
        "2" => (true, true),
        _ => return Err(format!("no number of passes: '{passes}'")),
    };
    if !(grid.alive(&board, WHITE) && grid.alive(&board, BLACK)) {
        return Err("a group without liberties".into());
    }
    Ok((grid, Position { board, side, grown, passed }, over))
}

impl Grid {
    fn new(columns: usize, rows: usize) -> Grid {
        let point = |column: usize, row: usize| 1 << (column + row * columns);
        let column = |column| (0..rows).fold(0, |set, row| set | point(column, row));
        let all = (0..columns).fold(0, |set, index| set | column(index));
        let mut images = Vec::new();
        for symmetry in 0..if columns == rows { 8 } else { 4 } {
            let image = |index: usize| {
                let (mut x, mut y) = (index % columns, index / columns);
                if symmetry & 1 > 0 {
                    x = columns - 1 - x;
                }
                if symmetry & 2 > 0 {
                    y = rows - 1 - y;
                }
                if symmetry & 4 > 0 { point(y, x) } else { point(x, y) }
            };
            images.push((0..columns * rows).map(image).collect());
        }
        let (first_column, last_column) = (column(0), column(columns - 1));
        Grid { columns, rows, all, first_column, last_column, images }
    }

    /// The least of the position's images, with the flags in the bits that no board has.
    fn key(&self, position: Position) -> Key {
        let flags = Set::from(position.grown) << 126 | Set::from(position.passed) << 127;
        let turned = |image: &Vec<Set>, set| {
            each(set).fold(0, |turned, point| turned | image[point.trailing_zeros() as usize])
        };
        let keys = self.images.iter().map(|image| {
            let [white, black] = position.board.stones.map(|set| turned(image, set));
            [white | flags, black]
        });
        keys.min().unwrap_or_default()
    }

    /// The four fields of a key.
    fn name(&self, [white, black]: Key, side: usize) -> String {
        let mut name = String::new();
        for row in (0..self.rows).rev() {
            let mut run = 0;
            for column in 0..=self.columns {
                let point: Set = 1 << (column + row * self.columns);
                let stone = match column < self.columns {
                    true if white & point != 0 => "w",
                    true if black & point != 0 => "b",
                    true => {
                        run += 1;
                        continue;
                    }
                    false if row > 0 => "/",
                    false => " ",
                };
                if run > 0 {
                    // Writing to a string cannot fail.
                    let _ = write!(name, "{run}");
                    run = 0;
                }
                name.push_str(stone);
            }
        }
        let grown = if white >> 126 & 1 != 0 { 'g' } else { '-' };
        let _ = write!(name, "{} {grown} {}", ["w", "b"][side], white >> 127);
        name
    }

    /// The points next to those of the set.
    fn near(&self, set: Set) -> Set {
        let beside = (set & !self.last_column) << 1 | (set & !self.first_column) >> 1;
        (beside | set << self.columns | set >> self.columns) & self.all
    }

    /// The part of `area` that is connected with `seed`.
    fn connected(&self, seed: Set, area: Set) -> Set {
        let mut set = seed & area;
        loop {
            let larger = set | self.near(set) & area;
            if larger == set {
                return set;
            }
            set = larger;
        }
    }

    fn groups(&self, stones: Set) -> Vec<Set> {
        let mut groups: Vec<Set> = Vec::new();
        for stone in each(stones) {
            if groups.iter().all(|group| group & stone == 0) {
                groups.push(self.connected(stone, stones));
            }
        }
        groups
    }

    fn vacant(&self, board: &Board) -> Set {
        self.all & !(board.stones[WHITE] | board.stones[BLACK])
    }

    /// Whether each group of the side has a liberty.
    fn alive(&self, board: &Board, side: usize) -> bool {
        let own = board.stones[side];
        self.connected(self.near(self.vacant(board)), own) == own
    }

    /// Puts one stone on a vacant point and reverses groups without a liberty. Returns the reversed stones.
    fn put(&self, board: &mut Board, side: usize, point: Set) -> Set {
        board.stones[side] |= point;
        let vacant = self.vacant(board);
        let enemy = board.stones[1 - side];
        let mut reversed = 0;
        for stone in each(self.near(point) & enemy) {
            let group = self.connected(stone, enemy);
            if self.near(group) & vacant == 0 {
                reversed |= group;
            }
        }
        board.stones[side] |= reversed;
        board.stones[1 - side] &= !reversed;
        reversed
    }

    /// The boards that growing leads to, stone by stone in every order, on some of the points `within`. Whether
    /// all groups live is still to be seen.
    fn growths(&self, position: Position, within: Set) -> Vec<Board> {
        let Position { board, side, .. } = position;
        let home = board.stones[side];
        let groups = self.groups(home);
        let beside =
            |set: Set| groups.iter().filter(|&&group| self.near(set) & group != 0).fold(0, |a, b| a | b);
        let points: Vec<(Set, Set)> = each(within & self.vacant(&board) & self.near(home))
            .map(|point| (point, beside(point)))
            .collect();
        // A board, and the home groups that may not grow: they have grown or are closed.
        let mut states = vec![(board, 0)];
        let mut known = HashSet::new();
        let mut next = 0;
        while let Some(&(board, barred)) = states.get(next) {
            next += 1;
            let vacant = self.vacant(&board);
            for &(point, grown) in &points {
                if point & vacant == 0 || grown & barred != 0 {
                    continue;
                }
                let mut after = board;
                let reversed = self.put(&mut after, side, point);
                let barred = barred | grown | if reversed == 0 { 0 } else { beside(reversed) };
                if known.insert((after, barred)) {
                    states.push((after, barred));
                }
            }
        }
        let mut boards: Vec<Board> = states.into_iter().skip(1).map(|(board, _)| board).collect();
        boards.sort_unstable_by_key(|board| board.stones);
        boards.dedup();
        boards
    }

    /// The boards that placing one stone leads to, by its point; whether all groups live is still to be seen.
    fn placements(&self, board: Board, side: usize) -> impl Iterator<Item = (Set, Board)> {
        each(self.vacant(&board) & !self.near(board.stones[side])).map(move |point| {
            let mut after = board;
            self.put(&mut after, side, point);
            (point, after)
        })
    }

    /// Whether the side to move may grow and then place a stone.
    fn may_balance(position: Position) -> bool {
        position.side == BLACK && !position.grown
    }

    /// The result of every legal turn with stones: the board, and whether a side has grown.
    pub fn turns(&self, position: Position) -> Vec<(Board, bool)> {
        let Position { board, side, grown, .. } = position;
        let mut turns: Vec<(Board, bool)> =
            self.placements(board, side).map(|(_, after)| (after, grown)).collect();
        for after in self.growths(position, self.all) {
            turns.push((after, true));
            if Grid::may_balance(position) {
                turns.extend(self.placements(after, side).map(|(_, after)| (after, true)));
            }
        }
        turns.retain(|(after, _)| self.alive(after, side));
        turns
    }

    /// The result of a turn, if it is legal: the board, and whether a side has grown.
    ///
    /// # Errors
    /// Why it is illegal.
    pub fn play(&self, position: Position, growth: Set, placement: Set) -> Result<(Board, bool), String> {
        let Position { mut board, side, grown, .. } = position;
        if growth != 0 {
            let whole = |board: &Board| growth & self.vacant(board) == 0;
            if growth & !self.vacant(&board) != 0 {
                return Err("illegal: a point is not vacant".into());
            }
            board =
                self.growths(position, growth).into_iter().find(whole).ok_or("illegal: no such growth")?;
            if placement != 0 && !Grid::may_balance(position) {
                return Err("illegal: there is no balance right".into());
            }
        }
        if placement != 0 {
            let placed = self.placements(board, side).find(|(point, _)| *point == placement);
            (_, board) = placed.ok_or("illegal: no stone may be placed there")?;
        }
        if !self.alive(&board, side) {
            return Err("illegal: suicide".into());
        }
        Ok((board, grown || growth != 0))
    }

    /// Reads a turn: the points of a growth and of a placement; none for a pass.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn turn(&self, text: &str) -> Result<Option<(Set, Set)>, String> {
        let point = |name: &str| {
            let letter = name.bytes().next().filter(u8::is_ascii_lowercase)?;
            let (column, row) = (usize::from(letter - b'a'), name[1..].parse::<usize>().ok()?);
            let fits =
                column < self.columns && (1..=self.rows).contains(&row) && name[1..] == row.to_string();
            fits.then(|| 1 << (column + (row - 1) * self.columns))
        };
        let refused = || format!("no turn: '{text}'");
        if text == "pass" {
            return Ok(None);
        }
        let Some(stones) = text.strip_prefix('+') else {
            return Ok(Some((0, point(text).ok_or_else(refused)?)));
        };
        let (growth, placement) = match stones.split_once('@') {
            Some((growth, placement)) => (growth, point(placement).ok_or_else(refused)?),
            None => (stones, 0),
        };
        let mut set = 0;
        for name in growth.split(',') {
            let point: Set = point(name).filter(|point| set & point == 0).ok_or_else(refused)?;
            set |= point;
        }
        Ok(Some((set, placement)))
    }

    /// White's points less Black's if the game ends here.
    pub fn score(&self, board: &Board) -> i32 {
        let mut points = board.stones.map(|stones| stones.count_ones() as i32);
        for region in self.groups(self.vacant(board)) {
            let border = self.near(region);
            match board.stones.map(|stones| stones & border != 0) {
                [true, false] => points[WHITE] += region.count_ones() as i32,
                [false, true] => points[BLACK] += region.count_ones() as i32,
                _ => {}
            }
        }
        points[WHITE] - points[BLACK]
    }
}
