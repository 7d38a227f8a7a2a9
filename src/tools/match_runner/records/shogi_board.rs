//! A shogi board as records show it, read from the SFEN that our rules write.

/// Kanji of the numbers from 0 to 18.
const NUMBERS: [&str; 19] = [
    "〇", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二", "十三", "十四", "十五",
    "十六", "十七", "十八",
];

/// A piece: the letter of SFEN, upper case for Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// `P L N S G B R K`.
    pub kind: u8,
    /// Whether it is promoted.
    pub promoted: bool,
    /// Whether it is Black's, who moves first.
    pub black: bool,
}

impl Piece {
    /// The word of KIF.
    pub fn kanji(self) -> &'static str {
        match (self.kind, self.promoted) {
            (b'P', false) => "歩",
            (b'L', false) => "香",
            (b'N', false) => "桂",
            (b'S', false) => "銀",
            (b'G', _) => "金",
            (b'B', false) => "角",
            (b'R', false) => "飛",
            (b'P', true) => "と",
            (b'L', true) => "成香",
            (b'N', true) => "成桂",
            (b'S', true) => "成銀",
            (b'B', true) => "馬",
            (b'R', true) => "龍",
            _ => "玉",
        }
    }

    /// The one character of a board diagram.
    fn diagram(self) -> &'static str {
        match (self.kind, self.promoted) {
            (b'L', true) => "杏",
            (b'N', true) => "圭",
            (b'S', true) => "全",
            _ => self.kanji(),
        }
    }

    /// The two letters of CSA.
    pub fn csa(self) -> &'static str {
        match (self.kind, self.promoted) {
            (b'P', false) => "FU",
            (b'L', false) => "KY",
            (b'N', false) => "KE",
            (b'S', false) => "GI",
            (b'G', _) => "KI",
            (b'B', false) => "KA",
            (b'R', false) => "HI",
            (b'P', true) => "TO",
            (b'L', true) => "NY",
            (b'N', true) => "NK",
            (b'S', true) => "NG",
            (b'B', true) => "UM",
            (b'R', true) => "RY",
            _ => "OU",
        }
    }
}

/// A square as file and rank, both from 1 to 9.
pub type Square = (u8, u8);

/// The board, the hands and the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct ShogiBoard {
    /// `squares[rank - 1][9 - file]`, as a diagram shows it.
    squares: [[Option<Piece>; 9]; 9],
    /// Letters and counts of Black's hand and White's, in the order of SFEN.
    hands: [Vec<(u8, u8)>; 2],
    /// Whether Black is to move.
    pub black_to_move: bool,
}

impl ShogiBoard {
    /// Reads an SFEN as our rules write it; what it lacks is empty.
    pub fn parse(sfen: &str) -> ShogiBoard {
        let mut words = sfen.split_ascii_whitespace();
        let mut squares = [[None; 9]; 9];
        for (rank, row) in words.next().unwrap_or_default().split('/').take(9).enumerate() {
            let (mut column, mut promoted) = (0, false);
            for letter in row.bytes() {
                match letter {
                    b'1'..=b'9' => column += usize::from(letter - b'0'),
                    b'+' => promoted = true,
                    _ if column < 9 => {
                        let black = letter.is_ascii_uppercase();
                        squares[rank][column] =
                            Some(Piece { kind: letter.to_ascii_uppercase(), promoted, black });
                        (column, promoted) = (column + 1, false);
                    }
                    _ => {}
                }
            }
        }
        let black_to_move = words.next() != Some("w");
        let mut hands = [Vec::new(), Vec::new()];
        let mut count = 0;
        for letter in words.next().unwrap_or_default().bytes() {
            match letter {
                b'0'..=b'9' => count = count * 10 + (letter - b'0'),
                b'-' => {}
                _ => {
                    let hand = usize::from(letter.is_ascii_lowercase());
                    hands[hand].push((letter.to_ascii_uppercase(), count.max(1)));
                    count = 0;
                }
            }
        }
        ShogiBoard { squares, hands, black_to_move }
    }

    /// What stands on a square.
    pub fn at(&self, (file, rank): Square) -> Option<Piece> {
        self.squares[usize::from(rank) - 1][9 - usize::from(file)]
    }

    /// Letters and counts of a hand: Black's for `true`.
    pub fn hand(&self, black: bool) -> &[(u8, u8)] {
        &self.hands[usize::from(!black)]
    }

    /// The diagram that KIF files begin with when the game starts elsewhere (Kakinoki's BOD).
    pub fn diagram(&self) -> String {
        let mut text = format!("後手の持駒：{}\n", hand_text(&self.hands[1]));
        text += "  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n";
        for (row, number) in self.squares.iter().zip(&NUMBERS[1..]) {
            text.push('|');
            for square in row {
                match square {
                    None => text += " ・",
                    Some(piece) => {
                        text.push(if piece.black { ' ' } else { 'v' });
                        text += piece.diagram();
                    }
                }
            }
            text += &format!("|{number}\n");
        }
        text += &format!("+---------------------------+\n先手の持駒：{}\n", hand_text(&self.hands[0]));
        if !self.black_to_move {
            text += "後手番\n";
        }
        text
    }

    /// The lines of CSA that set the board up.
    pub fn csa(&self) -> String {
        let mut text = String::new();
        for (rank, row) in self.squares.iter().enumerate() {
            text += &format!("P{}", rank + 1);
            for square in row {
                match square {
                    None => text += " * ",
                    Some(piece) => {
                        text.push(if piece.black { '+' } else { '-' });
                        text += piece.csa();
                    }
                }
            }
            text.push('\n');
        }
        for (sign, hand) in ['+', '-'].into_iter().zip(&self.hands) {
            if hand.is_empty() {
                continue;
            }
            text += &format!("P{sign}");
            for &(kind, count) in hand {
                let piece = Piece { kind, promoted: false, black: true };
                text += &format!("00{}", piece.csa()).repeat(usize::from(count));
            }
            text.push('\n');
        }
        text
    }
}

/// A hand as KIF writes it.
fn hand_text(hand: &[(u8, u8)]) -> String {
    if hand.is_empty() {
        return "なし".into();
    }
    let piece = |&(kind, count): &(u8, u8)| {
        let kanji = Piece { kind, promoted: false, black: true }.kanji();
        let number = if count > 1 { NUMBERS[usize::from(count).min(18)] } else { "" };
        format!("{kanji}{number}　")
    };
    hand.iter().map(piece).collect()
}

/// A move of USI taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsiMove {
    /// A piece of this letter is dropped.
    Drop(u8, Square),
    /// From, to, and whether the piece promotes.
    Board(Square, Square, bool),
}

impl UsiMove {
    /// Reads `7g7f`, `8h2b+` or `P*5e`.
    pub fn parse(text: &str) -> Option<UsiMove> {
        let square = |file: u8, rank: u8| {
            let (file, rank) = (file.wrapping_sub(b'0'), rank.wrapping_sub(b'a').wrapping_add(1));
            ((1..=9).contains(&file) && (1..=9).contains(&rank)).then_some((file, rank))
        };
        match *text.as_bytes() {
            [kind, b'*', file, rank] => Some(UsiMove::Drop(kind, square(file, rank)?)),
            [a, b, c, d] => Some(UsiMove::Board(square(a, b)?, square(c, d)?, false)),
            [a, b, c, d, b'+'] => Some(UsiMove::Board(square(a, b)?, square(c, d)?, true)),
            _ => None,
        }
    }

    /// Where the piece lands.
    pub fn to(self) -> Square {
        match self {
            UsiMove::Drop(_, to) | UsiMove::Board(_, to, _) => to,
        }
    }
}

/// A move as KIF writes it, without the time. `last` is where the move before it landed.
pub fn kif_move(board: &ShogiBoard, turn: UsiMove, last: Option<Square>) -> String {
    const FILES: [&str; 9] = ["１", "２", "３", "４", "５", "６", "７", "８", "９"];
    let (file, rank) = turn.to();
    let place = if last == Some(turn.to()) {
        "同　".to_owned()
    } else {
        format!("{}{}", FILES[usize::from(file) - 1], NUMBERS[usize::from(rank)])
    };
    match turn {
        UsiMove::Drop(kind, _) => {
            format!("{place}{}打", Piece { kind, promoted: false, black: true }.kanji())
        }
        UsiMove::Board(from, _, promotes) => {
            let piece = board.at(from).map_or("？", Piece::kanji);
            let promotes = if promotes { "成" } else { "" };
            format!("{place}{piece}{promotes}({}{})", from.0, from.1)
        }
    }
}

/// A move as CSA writes it.
pub fn csa_move(board: &ShogiBoard, turn: UsiMove) -> String {
    let sign = if board.black_to_move { '+' } else { '-' };
    let (file, rank) = turn.to();
    match turn {
        UsiMove::Drop(kind, _) => {
            let piece = Piece { kind, promoted: false, black: true };
            format!("{sign}00{file}{rank}{}", piece.csa())
        }
        UsiMove::Board(from, _, promotes) => {
            let piece = board
                .at(from)
                .map_or("OU", |piece| Piece { promoted: piece.promoted || promotes, ..piece }.csa());
            format!("{sign}{}{}{file}{rank}{piece}", from.0, from.1)
        }
    }
}

/// A board on which a line of legal moves is shown.
pub struct Walk {
    /// The board now.
    pub board: ShogiBoard,
    /// Where the last move landed.
    pub last: Option<Square>,
}

impl ShogiBoard {
    /// Begins a line here; `last` is where the move before landed.
    pub fn walk(self, last: Option<Square>) -> Walk {
        Walk { board: self, last }
    }
}

impl Walk {
    /// Moves the piece; captures are not kept, as no record shows the hands within a line.
    pub fn play(&mut self, turn: UsiMove) {
        let black = self.board.black_to_move;
        let piece = match turn {
            UsiMove::Drop(kind, _) => Some(Piece { kind, promoted: false, black }),
            UsiMove::Board((file, rank), _, promotes) => self.board.squares[usize::from(rank) - 1]
                [9 - usize::from(file)]
            .take()
            .map(|piece| Piece { promoted: piece.promoted || promotes, ..piece }),
        };
        let (file, rank) = turn.to();
        self.board.squares[usize::from(rank) - 1][9 - usize::from(file)] = piece;
        self.board.black_to_move = !black;
        self.last = Some(turn.to());
    }
}
