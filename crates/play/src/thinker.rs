//! An engine at work for a room: orders go in, tagged events come out, and nobody waits for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;

use kaeshi_analysis::store;
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::clock::{Clock, Limits, MateLimit};
use kaeshi_core::driver::event::{Best, Event, Mate};
use kaeshi_core::game::Rejected;
use kaeshi_core::threads::spawn_free;
use kaeshi_engine::games::GameName;

/// How long to think.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effort {
    /// By both clocks.
    Clocks([Clock; 2]),
    /// So long.
    Time(Duration),
    /// Until another order comes.
    Endless,
    /// For a mate, so long.
    Mate(Duration),
}

/// A position to think about.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// Comes back with every event.
    pub id: u64,
    /// For [`Controller::set_position`].
    pub start: String,
    /// The turns made since.
    pub turns: Vec<String>,
    /// How long.
    pub effort: Effort,
    /// How many lines to show.
    pub lines: usize,
    /// The level, where one is wanted: from 1 to the one after the last, which is full strength.
    pub level: Option<u8>,
    /// Search threads.
    pub threads: usize,
    /// Transposition table in MiB.
    pub hash: u16,
}

/// What came of an order.
#[derive(Clone, Debug)]
pub(super) struct Report {
    /// The engine that reports it.
    pub engine: u64,
    /// Of the order.
    pub id: u64,
    /// What happened.
    pub event: Event,
}

enum Wish {
    Think(Box<Order>),
    Stop,
}

/// An engine on a thread of its own; it ends with this.
pub(super) struct Thinker {
    /// Its number among all engines of the room.
    pub engine: u64,
    wishes: Sender<Wish>,
}

impl Thinker {
    /// An engine for `game` whose events go to `reports`.
    pub(super) fn new(game: GameName, engine: u64, reports: Sender<Report>) -> Thinker {
        let (wishes, wished) = unbounded();
        let started = spawn_free(move || {
            let running: Arc<Running> = Arc::default();
            let (events, heard) = unbounded();
            let (asked, sender) = (Arc::clone(&running), reports.clone());
            if let Err(reason) = spawn_free(move || forward(engine, &heard, &asked, &sender)) {
                return log::warn!("play: {reason}");
            }
            let Ok(mut controller) = game.engine_with_results(events, store::reader::open) else { return };
            let mut set = vec![];
            for wish in wished {
                match wish {
                    Wish::Stop => controller.stop(),
                    Wish::Think(order) => {
                        // The answer to the former order must go out before this one is entered.
                        controller.stop();
                        controller.wait();
                        let mating = matches!(order.effort, Effort::Mate(_));
                        if let Err(reason) = think(controller.as_mut(), &mut set, game, &order, &running) {
                            let event = if mating {
                                Event::Mate(Mate::NotImplemented)
                            } else {
                                Event::Best(Best::None)
                            };
                            log::warn!("play: {reason}");
                            let _ = reports.send(Report { engine, id: order.id, event });
                        }
                    }
                }
            }
        });
        if let Err(reason) = started {
            log::warn!("play: {reason}");
        }
        Thinker { engine, wishes }
    }

    /// Ends what is running and begins this.
    pub(super) fn think(&self, order: Order) {
        // The thread lives as long as this.
        let _ = self.wishes.send(Wish::Think(Box::new(order)));
    }

    /// Ends what is running; it still answers.
    pub(super) fn stop(&self) {
        let _ = self.wishes.send(Wish::Stop);
    }
}

/// Sets an option that has another value.
fn set_option(
    controller: &mut dyn Controller,
    set: &mut Vec<(&'static str, String)>,
    name: &'static str,
    value: &str,
) -> Result<(), Rejected> {
    match set.iter_mut().find(|(known, _)| *known == name) {
        Some((_, before)) if before == value => return Ok(()),
        Some((_, before)) => value.clone_into(before),
        None => set.push((name, value.to_owned())),
    }
    controller.set_option(name, value)
}

/// The orders whose answers have not come yet, the oldest first.
type Running = Mutex<VecDeque<u64>>;

/// Tags what an engine reports with its order.
fn forward(engine: u64, heard: &Receiver<Event>, asked: &Running, sender: &Sender<Report>) {
    for event in heard {
        let front = asked.lock().front().cloned();
        let Some(id) = front else { continue };
        if matches!(event, Event::Best(_) | Event::Mate(_)) {
            asked.lock().pop_front();
        }
        if sender.send(Report { engine, id, event }).is_err() {
            return;
        }
    }
}

fn think(
    controller: &mut dyn Controller,
    set: &mut Vec<(&'static str, String)>,
    game: GameName,
    order: &Order,
    running: &Running,
) -> Result<(), Rejected> {
    let mut limits = Limits::none();
    match order.effort {
        Effort::Clocks(clocks) => limits.clocks = Some(clocks),
        Effort::Time(time) => limits.movetime = Some(time),
        Effort::Endless => limits.infinite = true,
        Effort::Mate(time) => limits.mate = Some(MateLimit::Time(time)),
    }
    for (name, value) in [("Hash", order.hash.to_string()), ("Threads", order.threads.to_string())] {
        // An engine without the option, or with a smaller range, goes on as it is.
        let _ = set_option(controller, set, name, &value);
    }
    set_option(controller, set, "MultiPV", &order.lines.to_string())?;
    let full = game.facts().levels.len();
    if full > 0 {
        let level = order.level.map_or(full, |level| usize::from(level.max(1)) - 1);
        set_option(controller, set, "SkillLevel", &level.min(full).to_string())?;
    }
    let turns: Vec<&str> = order.turns.iter().map(String::as_str).collect();
    controller.set_position(&order.start, &turns)?;
    running.lock().push_back(order.id);
    controller.go(limits);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_order_is_answered_under_its_own_number() {
        let (reports, heard) = unbounded();
        let thinker = Thinker::new(GameName::Reversi, 7, reports);
        let order = |id, effort| Order {
            id,
            start: "startpos".into(),
            turns: vec!["f5".into()],
            effort,
            lines: 2,
            level: None,
            threads: 1,
            hash: 1,
        };
        thinker.think(order(1, Effort::Endless));
        thinker.think(order(2, Effort::Time(Duration::from_millis(30))));
        let mut answered = Vec::new();
        while answered.len() < 2 {
            let report = heard.recv_timeout(Duration::from_secs(60)).expect("an answer");
            assert_eq!(report.engine, 7);
            if matches!(report.event, Event::Best(_)) {
                answered.push(report.id);
            }
        }
        assert_eq!(answered, [1, 2]);
        let wrong = Order { turns: vec!["a1".into()], ..order(3, Effort::Endless) };
        thinker.think(wrong);
        let report = heard.recv_timeout(Duration::from_secs(60)).expect("an answer");
        assert_eq!((report.id, report.event), (3, Event::Best(Best::None)));
    }
}
