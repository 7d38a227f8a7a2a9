use super::*;
use kaeshi_shogi::rules::sfen;

fn answer(options: &ShogiSolveOptions, text: &str) -> MateSolveOutput {
    let position = sfen::parse(text).expect("a position");
    let problem = MateProblem {
        source: None,
        line: 1,
        name: "1".to_owned(),
        content: Ok(position.clone()),
        given: None,
    };
    options.answer(&mut TsumeSolver::with_bytes(8 << 20), &problem, &position, &Interrupt::default())
}

#[test]
fn a_mate_and_its_absence_are_distinguished() {
    let options = ShogiSolveOptions::default();
    let mate = answer(&options, "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1");
    assert_eq!((mate.mate, mate.pv), (Some(true), vec!["G*5b".to_owned()]));
    let none = answer(&options, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    assert_eq!((none.mate, none.plies), (Some(false), None));
}
