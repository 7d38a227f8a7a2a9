//! The pages that show a room.

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use kaeshi_core::time::Instant;

/// Events queued for a page. A page that falls behind is dropped, and connects again.
const WAITING: usize = 256;

/// A message to a listening page: the name of an event, and its data.
pub(crate) type PageEvent = (&'static str, String);

/// A channel for a page that listens.
pub(crate) fn listening() -> (Sender<PageEvent>, Receiver<PageEvent>) {
    bounded(WAITING)
}

/// The pages that show a room, and how long there has been none.
pub(super) struct RoomListeners {
    all: Vec<Sender<PageEvent>>,
    /// Since when there has been no listener.
    pub(super) alone_since: Option<Instant>,
}

impl RoomListeners {
    /// Without listeners.
    pub(super) fn new() -> RoomListeners {
        RoomListeners { all: Vec::new(), alone_since: Some(Instant::now()) }
    }

    /// Adds a page.
    pub(super) fn add(&mut self, listener: Sender<PageEvent>) {
        self.all.push(listener);
        self.alone_since = None;
    }

    /// Drops all listeners.
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    /// Sends an event to all, and notices when the last of them has gone.
    pub(super) fn send(&mut self, name: &'static str, json: &str) {
        self.all.retain(|listener| match listener.try_send((name, json.to_owned())) {
            Ok(()) | Err(TrySendError::Full(_)) => true,
            Err(TrySendError::Disconnected(_)) => false,
        });
        if self.all.is_empty() && self.alone_since.is_none() {
            self.alone_since = Some(Instant::now());
        }
    }
}
