//! What a scheduler's thread keeps from call to call, and how much a call may do there.

use protobuf_codec::{decode, encode};
use std::cell::RefCell;

use crate::beam::{self, Call};
use crate::cache;

/// What a thread keeps.
pub struct Workplace {
    pub allowance: Allowance,
    pub cache: cache::View,
    pub encode: encode::Scratch,
    pub decode: decode::Scratch,
}

thread_local! {
    static WORKPLACE: RefCell<Workplace> = RefCell::new(Workplace {
        allowance: Allowance { normal: beam::on_normal_scheduler(), unreported: 0 },
        cache: cache::View::new(),
        encode: encode::Scratch::default(),
        decode: decode::Scratch::default(),
    });
}

/// Runs `work` with what this thread keeps.
#[inline(always)]
pub fn with<R>(work: impl FnOnce(&mut Workplace) -> R) -> R {
    WORKPLACE.with_borrow_mut(work)
}

/// Inputs of more bytes than this are decoded on a dirty scheduler from the start.
const NORMAL_INPUT: usize = 128 * 1024;

/// How much work a call may do on a normal scheduler before it starts again on a dirty one, in units of
/// [`protobuf_codec::work`]: it comes to less than a millisecond.
const NORMAL_WORK: usize = 128 * 1024;

/// How much work makes a percent of a time slice, which is about a millisecond.
const WORK_OF_A_PERCENT: usize = NORMAL_WORK / 100;

/// How much a call may do on a thread.
pub struct Allowance {
    /// Whether the thread is a normal scheduler's, which must not be held up.
    normal: bool,
    /// Work that was not reported to the VM yet.
    unreported: usize,
}

impl Allowance {
    /// Runs `work` on a budget of what a call may do here, and reports to the VM what it used of that.
    #[inline(always)]
    pub fn spend<R>(&mut self, call: &Call, work: impl FnOnce(&mut usize) -> R) -> R {
        let budget = if self.normal { NORMAL_WORK } else { usize::MAX };
        let mut left = budget;
        let result = work(&mut left);
        self.report(call, budget - left);
        result
    }

    /// Whether an input of so many bytes is to be decoded here.
    #[inline(always)]
    pub fn takes(&self, input: usize) -> bool {
        input <= NORMAL_INPUT || !self.normal
    }

    /// How long an input may be that is to be decoded here.
    pub fn largest_input(&self) -> usize {
        if self.normal { NORMAL_INPUT } else { usize::MAX }
    }

    /// Reports work to the VM, so that a process that makes call after call gives way to others: only a normal
    /// scheduler's time comes in slices. A percent is the least that can be reported; what is below waits for the calls
    /// that follow on the same thread.
    #[inline(always)]
    fn report(&mut self, call: &Call, work: usize) {
        if !self.normal {
            return;
        }
        self.unreported += work;
        if self.unreported >= WORK_OF_A_PERCENT {
            call.consume_timeslice(self.unreported / WORK_OF_A_PERCENT);
            self.unreported %= WORK_OF_A_PERCENT;
        }
    }
}
