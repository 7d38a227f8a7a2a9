//! How others talk with a room: by messages to its thread or, where there are no threads, by calls.

use std::sync::Arc;

use crossbeam_channel::{Sender, bounded, unbounded};
use parking_lot::Mutex;

use super::{PageEvent, Reason, Room, RoomEnvelope};
use crate::record_file::RecordFile;
use kaeshi_core::game::GameError;
use kaeshi_core::threads::spawn_free;
use kaeshi_core::time::Instant;
use kaeshi_engine::games::GameName;

/// A message to a room.
pub(crate) enum RoomMessage {
    /// A request; the state or the refusal goes back.
    Asked(RoomEnvelope, Sender<Result<String, Reason>>),
    /// The positions of a line of turns from this node.
    Frames(usize, Vec<String>, Sender<Result<String, Reason>>),
    /// Game and text of the position at this node, if there is one.
    Position(usize, Sender<Option<(GameName, String)>>),
    /// The record in this form: name and bytes.
    Record(String, Sender<Result<(String, Vec<u8>), Reason>>),
    /// A page begins to listen.
    Listen(Sender<PageEvent>),
    /// A page stops listening.
    Left,
    /// The game is not wanted any more: its file is removed.
    Discard(String, Sender<bool>),
    /// A replay of a game that ended without a result, in a room of this name.
    Replay(String, Sender<Result<Box<Room>, Reason>>),
    /// No action; fails to be sent if the room has ended.
    Check,
    /// Another game wants the file of `--record`: whether this one, without a turn, gives it away.
    GiveRecord(Sender<bool>),
    /// This game is written to the file of `--record` from now on.
    TakeRecord(RecordFile),
}

/// A room as the server knows it.
#[derive(Clone)]
pub(crate) enum RoomHandle {
    /// The room lives on its own thread.
    Thread(Sender<RoomMessage>),
    /// The room does something while it is called.
    Polled(Arc<Mutex<Room>>),
}

/// When a polled room has something to do without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// An engine searches.
    Now,
    At(Instant),
    Never,
}

impl RoomHandle {
    /// Sends a message; `None` if the room has ended.
    pub(crate) fn send(&self, message: RoomMessage) -> Option<()> {
        match self {
            RoomHandle::Thread(messages) => messages.send(message).ok(),
            RoomHandle::Polled(room) => {
                let mut room = room.lock();
                room.receive(message);
                room.look_at_time(Instant::now()).then_some(())
            }
        }
    }

    /// Asks, and waits for the answer; `None` if the room has ended.
    pub(crate) fn ask<T>(&self, message: impl FnOnce(Sender<T>) -> RoomMessage) -> Option<T> {
        let (answer, answered) = bounded(1);
        self.send(message(answer))?;
        answered.recv().ok()
    }

    /// Lets the engines of a polled room search for some tens of milliseconds. Rooms on threads need no calls.
    pub(crate) fn poll(&self) -> Next {
        match self {
            RoomHandle::Thread(_) => Next::Never,
            RoomHandle::Polled(room) => room.lock().poll(),
        }
    }
}

impl Room {
    /// Lets the room live until every handle to it is gone or it has had no listener for long: on its own thread, or
    /// where engines have none, while it is called.
    ///
    /// # Errors
    /// The system grants no thread.
    pub(crate) fn open(mut self) -> Result<RoomHandle, GameError> {
        if self.means.engines.are_polled() {
            self.drive();
            return Ok(RoomHandle::Polled(Arc::new(Mutex::new(self))));
        }
        let (messages, received) = unbounded();
        spawn_free(move || self.live(&received))?;
        Ok(RoomHandle::Thread(messages))
    }
}
