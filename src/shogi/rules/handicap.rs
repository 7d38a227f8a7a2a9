//! Start positions: the even game and the usual handicaps, in which White, the giver, begins.

/// The even game.
pub const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// The usual handicaps by name, in rising order.
pub const HANDICAPS: [(&str, &str); 12] = [
    ("lance", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("right-lance", "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("bishop", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("rook", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("rook-lance", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("2-piece", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("3-piece", "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("4-piece", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("5-piece", "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("6-piece", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("8-piece", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ("10-piece", "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::shogi::rules::sfen::{format, parse};

    #[test]
    fn every_start_position_is_read_and_written_back() {
        for (name, sfen) in HANDICAPS {
            let position = parse(sfen).unwrap();
            assert_eq!(format(&position), sfen, "{name}");
            assert_eq!(position.side_to_move(), Side::Second, "{name}");
        }
        assert_eq!(format(&parse(START).unwrap()), START);
    }

    #[test]
    fn each_handicap_takes_as_many_pieces_as_it_says() {
        for (name, sfen) in HANDICAPS {
            let missing = 40 - parse(sfen).unwrap().occupied().count();
            let expected = match name {
                "lance" | "right-lance" | "bishop" | "rook" => 1,
                "rook-lance" => 2,
                _ => name.split('-').next().unwrap().parse().unwrap(),
            };
            assert_eq!(missing, expected, "{name}");
        }
    }
}
