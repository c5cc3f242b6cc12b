//! A record as the driver finds it in memory.

/// The engine that it names: NVIDIA's graphics engine up to Ada.
pub const ENGINE: u64 = 64;
/// SMs of a GPC.
const GPC: u8 = 8;

/// What a record says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The virtual page number.
    pub vpn: u64,
    /// Its address space.
    pub asid: u8,
    /// When the fault was accepted.
    pub time: u64,
    /// The walker's cause.
    pub cause: u8,
    /// How the page was accessed.
    pub access: u8,
    /// Where the walk ended.
    pub level: u8,
    /// SMs wait for it.
    pub replayable: bool,
    /// The SMs, a bit each.
    pub requesters: u16,
    /// The far-fault MSHR.
    pub index: u16,
    /// The place in their queue.
    pub place: u16,
    /// The sequence number.
    pub sequence: u64,
    /// The instruction that waits, if one was found.
    pub context: Option<Context>,
}

/// The instruction that waits longest for a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Its warp.
    pub warp: u8,
    /// Its thread-block slot.
    pub slot: u8,
    /// Its address.
    pub pc: u64,
    /// Its lanes.
    pub lanes: u64,
    /// How it will be restarted.
    pub scheme: u8,
    /// Its entry of the operand log.
    pub pointer: u8,
}

/// The bit that says that a record is there, of word 3.
pub const VALID: u64 = 1 << 63;

impl Record {
    /// NVIDIA's fault type.
    #[must_use]
    pub const fn fault_type(&self) -> u64 {
        let [pde, pte, va_limit, privileged, read_only, aperture, kind] = [0, 2, 3, 5, 6, 10, 12];
        match self.cause {
            1 => va_limit,
            2 if self.level != 1 => pde,
            3 => kind,
            4 if self.access & 1 == 1 => read_only,
            4 => privileged,
            7 => aperture,
            _ => pte,
        }
    }

    /// The lowest SM, or 0.
    #[must_use]
    pub const fn client(&self) -> u8 {
        match self.requesters {
            0 => 0,
            some => some.trailing_zeros() as u8,
        }
    }

    /// Its words; the address is canonical for page numbers of so many bits.
    #[must_use]
    pub fn words(&self, vpn_bits: usize) -> [u64; 8] {
        let above = 64 - vpn_bits;
        let address = (self.vpn << above).cast_signed() >> (above - 12);
        let client = self.client();
        let wide = |value: u8, place: u32| u64::from(value) << place;
        let others = self.requesters.count_ones().saturating_sub(1) as u8;
        let instruction = self.context.map_or([0; 2], |context| {
            [
                context.pc,
                context.lanes
                    | wide(context.warp, 32)
                    | wide(context.slot, 40)
                    | wide(context.scheme, 48)
                    | wide(context.pointer, 56)
                    | 1 << 63,
            ]
        });
        [
            wide(self.asid, 12),
            address.cast_unsigned(),
            self.time,
            ENGINE
                | self.fault_type() << 32
                | u64::from(self.replayable) << 39
                | wide(client % GPC, 40)
                | wide(client / GPC, 56)
                | wide(self.access & 1, 48)
                | 1 << 62
                | VALID,
            wide(self.asid, 0)
                | wide(self.level, 8)
                | wide(self.cause, 12)
                | wide(self.access, 16)
                | u64::from(self.requesters) << 32
                | wide(others, 48),
            u64::from(self.index) | u64::from(self.place) << 16 | self.sequence << 32,
            instruction[0],
            instruction[1],
        ]
    }

    /// The record that lies in memory, if its word with VALID is there.
    #[must_use]
    pub fn read(words: &[u64; 8]) -> Option<Self> {
        let part = |word: usize, place: u32, bits: u32| words[word] >> place & ((1 << bits) - 1);
        let known = part(7, 63, 1) == 1;
        let context = Context {
            warp: part(7, 32, 6) as u8,
            slot: part(7, 40, 4) as u8,
            pc: words[6],
            lanes: part(7, 0, 32),
            scheme: part(7, 48, 3) as u8,
            pointer: part(7, 56, 7) as u8,
        };
        (words[3] & VALID != 0).then_some(Self {
            vpn: part(1, 12, 36),
            asid: part(0, 12, 8) as u8,
            time: words[2],
            cause: part(4, 12, 3) as u8,
            access: part(4, 16, 3) as u8,
            level: part(4, 8, 3) as u8,
            replayable: part(3, 39, 1) == 1,
            requesters: part(4, 32, 16) as u16,
            index: part(5, 0, 16) as u16,
            place: part(5, 16, 16) as u16,
            sequence: part(5, 32, 32),
            context: known.then_some(context),
        })
    }
}
