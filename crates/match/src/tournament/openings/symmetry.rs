//! Positions that are the same but for a turned or mirrored board.

use kaeshi_core::game::facts::Symmetry;
use kaeshi_records::referee::RefereeBoard;

/// Rows of cells, each as text.
type TextGrid = Vec<Vec<String>>;

/// A text that is equal for all positions which a symmetry of the game maps to each other.
pub fn canonical(symmetry: Symmetry, board: &dyn RefereeBoard) -> String {
    let picture = board.picture();
    let cells: Vec<String> = picture
        .cells
        .iter()
        .map(|cell| cell.map_or_else(String::new, |man| format!("{}{}", man.side.index(), man.kind)))
        .collect();
    let rows: TextGrid = cells.chunks(usize::from(picture.columns).max(1)).map(<[String]>::to_vec).collect();
    let mut images = vec![rows.clone(), mirrored(&rows)];
    match symmetry {
        Symmetry::Mirror => {}
        Symmetry::Square => {
            let turned = transposed(&rows);
            images.extend([mirrored(&turned), turned]);
            let upside_down: Vec<TextGrid> =
                images.iter().map(|image| image.iter().rev().cloned().collect()).collect();
            images.extend(upside_down);
        }
    }
    let written = |image: TextGrid| image.iter().map(|row| row.join(",")).collect::<Vec<_>>().join("/");
    let text = board.text();
    let mut rest: Vec<&str> = text.split(' ').skip(1).collect();
    // The number of the move, where there is one, says nothing about the position.
    if rest.len() > 1 {
        rest.pop();
    }
    images.into_iter().map(written).min().unwrap_or_default() + " " + &rest.join(" ")
}

fn mirrored(rows: &TextGrid) -> TextGrid {
    rows.iter().map(|row| row.iter().rev().cloned().collect()).collect()
}

fn transposed(rows: &TextGrid) -> TextGrid {
    (0..rows.len()).map(|column| rows.iter().map(|row| row[column].clone()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_records::referee::rules_by_name;

    fn key(game: &str, position: &str, turns: &[&str]) -> String {
        let rules = rules_by_name(game).unwrap();
        let mut board = rules.board(Some(position)).unwrap();
        for turn in turns {
            board.play(turn).unwrap();
        }
        canonical(rules.facts().boards.symmetry, &*board)
    }

    #[test]
    fn all_first_moves_of_reversi_are_one() {
        let key = |turns: &[&str]| key("reversi", "startpos", turns);
        for first in ["d3", "c4", "e6"] {
            assert_eq!(key(&[first]), key(&["f5"]));
        }
        assert_eq!(key(&["f5", "d6"]), key(&["e6", "f4"]));
        assert_ne!(key(&["f5", "d6"]), key(&["f5", "f6"]));
    }

    #[test]
    fn shogi_is_mirrored_and_sygo_turned() {
        let shogi = |position| key("shogi", position, &[]);
        assert_eq!(shogi("+P8/9/9/9/9/9/9/9/9 b - 1"), shogi("8+P/9/9/9/9/9/9/9/9 b - 7"));
        assert_ne!(shogi("9/9/9/9/9/9/9/9/P8 b - 1"), shogi("9/9/9/9/9/9/9/P8/9 b - 1"));
        assert_ne!(shogi("9/9/9/9/9/9/9/9/P8 b - 1"), shogi("9/9/9/9/9/9/9/9/P8 b P 1"));
        let sygo = |position| key("sygo", position, &[]);
        assert_eq!(sygo("2w/3/3 b - 0 2"), sygo("3/3/w2 b - 0 2"));
        assert_ne!(sygo("2w/3/3 b - 0 2"), sygo("2w/3/3 b - 1 2"));
    }
}
