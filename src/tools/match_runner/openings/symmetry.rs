//! Positions that are the same but for a turned or mirrored board.

/// A text that is equal for all positions which a symmetry of the game maps to each other: eight
/// symmetries for Reversi and Sygo, the mirror for shogi.
pub fn canonical(game: &str, text: &str) -> String {
    let (board, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rows = if board.contains('/') { rows(board) } else { square(board) };
    let Some(rows) = rows else { return text.to_owned() };
    let mut images = vec![rows.clone()];
    images.push(mirrored(&rows));
    if game != "shogi" {
        let turned = transposed(&rows);
        for image in [turned.clone(), mirrored(&turned)] {
            images.push(image);
        }
        let upside_down: Vec<_> = images.iter().map(|image| image.iter().rev().cloned().collect()).collect();
        images.extend(upside_down);
    }
    let written = |image: Grid| image.iter().map(|row| row.concat()).collect::<Vec<_>>().join("/");
    // The number of the move tells nothing about the position.
    let rest = rest.rsplit_once(' ').map_or(rest, |(rest, _)| rest);
    let rest = if game == "reversi" { text.split_once(' ').map_or("", |(_, side)| side) } else { rest };
    images.into_iter().map(written).min().unwrap_or_default() + " " + rest
}

type Grid = Vec<Vec<String>>;

/// The rows of a text with slashes, a cell each; numbers are runs of vacant cells.
fn rows(board: &str) -> Option<Grid> {
    let rows: Grid = board
        .split('/')
        .map(|row| {
            let mut cells = Vec::new();
            let mut number = 0;
            let mut promoted = "";
            for letter in row.chars() {
                if let Some(digit) = letter.to_digit(10) {
                    number = number * 10 + digit as usize;
                    continue;
                }
                cells.extend(std::iter::repeat_n(".".to_owned(), std::mem::take(&mut number)));
                match letter {
                    '+' => promoted = "+",
                    _ => cells.push(format!("{}{letter}", std::mem::take(&mut promoted))),
                }
            }
            cells.extend(std::iter::repeat_n(".".to_owned(), number));
            cells
        })
        .collect();
    rows.iter().all(|row| row.len() == rows.len()).then_some(rows)
}

/// The rows of a text of 64 squares.
fn square(board: &str) -> Option<Grid> {
    let cells: Vec<String> = board.chars().map(String::from).collect();
    (cells.len() == 64).then(|| cells.chunks(8).map(<[String]>::to_vec).collect())
}

fn mirrored(rows: &Grid) -> Grid {
    rows.iter().map(|row| row.iter().rev().cloned().collect()).collect()
}

fn transposed(rows: &Grid) -> Grid {
    (0..rows.len()).map(|column| rows.iter().map(|row| row[column].clone()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_first_moves_of_reversi_are_one() {
        let rules = crate::referee::rules("reversi", None).unwrap();
        let key = |turns: &[&str]| {
            let mut board = rules.board(None).unwrap();
            for turn in turns {
                board.play(turn).unwrap();
            }
            canonical("reversi", &board.text())
        };
        for first in ["d3", "c4", "e6"] {
            assert_eq!(key(&[first]), key(&["f5"]));
        }
        assert_eq!(key(&["f5", "d6"]), key(&["e6", "f4"]));
        assert_ne!(key(&["f5", "d6"]), key(&["f5", "f6"]));
    }

    #[test]
    fn shogi_is_mirrored_and_sygo_turned() {
        assert_eq!(
            canonical("shogi", "+P8/9/9/9/9/9/9/9/9 b - 1"),
            canonical("shogi", "8+P/9/9/9/9/9/9/9/9 b - 7")
        );
        assert_ne!(
            canonical("shogi", "P8/9/9/9/9/9/9/9/9 b - 1"),
            canonical("shogi", "9/9/9/9/9/9/9/9/P8 b - 1")
        );
        assert_eq!(canonical("sygo", "2w/3/3 b - 0 2"), canonical("sygo", "3/3/w2 b - 0 2"));
    }
}
