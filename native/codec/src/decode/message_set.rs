//! Message sets: each message in one is an item, a group of the number of the message's field and of the message
//! (descriptor.proto, "message_set_wire_format"). The two come in any order.
//!
//! What a message is found in, the item or the plain field, is a message of its own to the decoder, without a place in
//! the result: its record has no elements and lies where the set holds the message.

use super::stack::{NONE, Node};
use super::{Current, Decoder, Stop};
use crate::memory::TryGrow;
use crate::schema::plan::{DecodeAction, Kind, UNKNOWN_GROUP};
use crate::term::{Term, TermBuilder};
use crate::wire::{skip, tag, varint};
use crate::work;

impl<'d, B: TermBuilder> Decoder<'d, B> {
    /// Begins the item, or the plain field, whose tag has just been read, up to `pos`. Gives what to go on with, and where.
    pub(super) fn set_item(
        &mut self,
        set: Current<'d>,
        action: &DecodeAction,
        field_tag: u32,
        pos: usize,
    ) -> Result<(Current<'d>, usize), Stop> {
        if field_tag != tag::SET_ITEM {
            // Read again, within what it is found in.
            let start = self.field_start;
            let end = skip::payload_end(set.data, &mut { pos })?;
            return Ok((self.open_item(&set, action, end, 0)?, start));
        }
        let end_tag = tag::end_of(field_tag);
        let known = self.item_type(set.data, pos)?.map(|number| set.table.decode.get(own_tag(number)));
        match (known, set.table.unknowns) {
            (Some(action), _) if action.kind == Kind::SetItem => {
                Ok((self.open_item(&set, action, set.data.len(), end_tag)?, pos))
            }
            (_, Some(slot)) => {
                let action = DecodeAction { index: UNKNOWN_GROUP, slot, ..DecodeAction::ROOT };
                self.deeper()?;
                Ok((self.open_rare(&action, set.node, pos, set.data.len(), end_tag)?, pos))
            }
            (_, None) => {
                let groups = &mut self.scratch.groups;
                Ok((set, skip::field_end::<Stop>(set.data, pos, field_tag, self.depth_left, groups)?))
            }
        }
    }

    /// The number of an item's type, where it has one that can be a field's.
    fn item_type(&mut self, data: &[u8], mut pos: usize) -> Result<Option<u32>, Stop> {
        loop {
            let field_tag = tag::read(data, &mut pos)?;
            match field_tag {
                tag::SET_TYPE_ID => {
                    let number = u32::try_from(varint::read(data, &mut pos)?).ok();
                    return Ok(number.filter(|number| (1..=tag::MAX_FIELD_NUMBER).contains(number)));
                }
                _ if field_tag == tag::end_of(tag::SET_ITEM) => return Ok(None),
                _ => pos = skip::field_end::<Stop>(data, pos, field_tag, self.depth_left, &mut self.scratch.groups)?,
            }
        }
    }

    fn open_item(
        &mut self,
        set: &Current<'d>,
        action: &DecodeAction,
        end: usize,
        end_tag: u32,
    ) -> Result<Current<'d>, Stop> {
        self.deeper()?;
        self.spend(work::RECORD)?;
        let base = set.base + action.slot as usize;
        let scratch = &mut *self.scratch;
        // The message of this field that is there already is merged with, so it returns to what it was found in first.
        if let Some(message) = scratch.terms[base].pending_index() {
            let node = scratch.nodes[message].parent;
            return self.go_on(node, end, end_tag);
        }
        let node = scratch.nodes.len() as u32;
        scratch.nodes.try_push(Node {
            message: action.index,
            slot: Node::NOWHERE,
            parent: set.node,
            base: base as u32,
            last_run: NONE,
            field: action.field,
            member: Term::NONE,
            end,
            end_tag,
            runs: scratch.runs.len() as u32,
            keys: scratch.keys.len() as u32,
            spares: 0,
            element: false,
            empty: false,
        })?;
        Ok(self.enter(node))
    }
}

/// The tag of a plain field of this number.
fn own_tag(number: u32) -> u32 {
    tag::make(number, tag::LENGTH_DELIMITED)
}
