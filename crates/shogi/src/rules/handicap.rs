//! Start positions: the even game and the usual handicaps, in which White, the giver, begins.

use kaeshi_core::game::facts::Handicap;

/// The even game.
pub const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// The usual handicaps by name, in rising order.
pub static HANDICAPS: [Handicap; 15] = [
    Handicap { name: "lance", position: "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap {
        name: "right-lance",
        position: "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    },
    Handicap { name: "bishop", position: "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "rook", position: "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap {
        name: "rook-lance",
        position: "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    },
    Handicap { name: "2-piece", position: "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "3-piece", position: "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "4-piece", position: "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "5-piece", position: "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "left-5-piece", position: "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "6-piece", position: "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "left-7-piece", position: "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "right-7-piece", position: "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "8-piece", position: "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
    Handicap { name: "10-piece", position: "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1" },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::{format, parse};
    use kaeshi_core::game::Side;

    #[test]
    fn every_start_position_is_read_and_written_back() {
        for Handicap { name, position: sfen } in HANDICAPS {
            let position = parse(sfen).unwrap();
            assert_eq!(format(&position), sfen, "{name}");
            assert_eq!(position.side_to_move(), Side::Second, "{name}");
        }
        assert_eq!(format(&parse(START).unwrap()), START);
    }

    /// The boards of <http://kakinoki.o.oo7.jp/kif_format.html>, by their names there.
    #[test]
    fn every_handicap_of_kif_has_a_name() {
        for (name, kif) in [
            ("5-piece", "五枚落ち"),
            ("left-5-piece", "左五枚落ち"),
            ("left-7-piece", "左七枚落ち"),
            ("right-7-piece", "右七枚落ち"),
        ] {
            let handicap = HANDICAPS.iter().find(|handicap| handicap.name == name).unwrap();
            assert_eq!(kaeshi_records::setup::handicap_name(handicap.position), Some(kif));
        }
        // All of KIF but the even game.
        let named = HANDICAPS.iter().filter_map(|one| kaeshi_records::setup::handicap_name(one.position));
        assert_eq!(named.count(), HANDICAPS.len());
    }

    #[test]
    fn each_handicap_takes_as_many_pieces_as_it_says() {
        for Handicap { name, position: sfen } in HANDICAPS {
            let missing = 40 - parse(sfen).unwrap().occupied().count();
            let expected = match name {
                "lance" | "right-lance" | "bishop" | "rook" => 1,
                "rook-lance" => 2,
                _ => name.split('-').rev().nth(1).unwrap().parse().unwrap(),
            };
            assert_eq!(missing, expected, "{name}");
        }
    }
}
