//! Each opcode of a trace that the project writes exists in the instruction set that its header states.
//!
//! The names are those of NVIDIA's documentation of its binary utilities, which Accel-Sim looks opcodes up by: it ends
//! with an error at the first one that its table does not have.

#![expect(
    clippy::unwrap_used,
    reason = "the traces are the project's own, and other tests read them"
)]

use std::collections::BTreeSet;
use std::io::Cursor;

use faultline_sim::simt::kernels::{KERNELS, VARIANTS};
use faultline_sim::simt::{run, write_trace};
use faultline_sim::trace::{Event, OWN_KERNELS, Reader};

/// sm_80 and sm_86: instructions of a thread's data path and of memory, control and barriers.
const AMPERE: &str = "
    FADD FADD32I FCHK FFMA FFMA32I FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD MUFU
    HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 HMMA DMMA BMMA IMMA
    DADD DFMA DMUL DSETP
    BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LEA LOP LOP3 LOP32I
    POPC SHF SHL SHR VABSDIFF VABSDIFF4
    F2F F2I I2F I2I I2IP I2FP F2IP FRND MOV MOV32I MOVM PRMT SEL SGXT SHFL PLOP3 PSETP P2R R2P
    LD LDC LDG LDL LDS LDSM ST STG STL STS MATCH QSPC ATOM ATOMS ATOMG RED CCTL CCTLL CCTLT ERRBAR MEMBAR LDGDEPBAR LDGSTS
    ULDC UMOV UIADD3 UIMAD UISETP ULEA ULOP3 USEL USHF R2UR S2UR
    TEX TLD TLD4 TMML TXD TXQ SUATOM SULD SURED SUST
    BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL EXIT JMP JMX JMXU KILL NANOSLEEP RET RPCMOV RTT WARPSYNC YIELD
    B2R BAR CS2R DEPBAR GETLMEMBASE LEPC NOP PMTRIG R2B S2R SETCTAID SETLMEMBASE VOTE";

/// sm_60 and sm_61.
const PASCAL: &str = "
    FADD FCHK FCMP FFMA FMNMX FMUL FSET FSETP FSWZADD MUFU RRO DADD DFMA DMNMX DMUL DSET DSETP HADD2 HFMA2 HMUL2 HSET2
    HSETP2 BFE BFI FLO IADD IADD3 ICMP IMAD IMADSP IMNMX IMUL ISCADD ISET ISETP LEA LOP LOP3 POPC SHF SHL SHR XMAD VABSDIFF
    VADD VMAD VSHL VSHR VSET VSETP F2F F2I I2F I2I MOV PRMT SEL SHFL CSET CSETP PSET PSETP P2R R2P TEX TLD TLD4 TXQ TEXS
    TLDS TLD4S LD LDC LDG LDL LDS ST STG STL STS ATOM ATOMS RED CCTL CCTLL MEMBAR CCTLT SUATOM SULD SURED SUST BRA BRX JMP
    JMX SSY SYNC CAL JCAL PRET RET BRK PBK CONT PCNT EXIT PEXIT BPT NOP CS2R S2R B2R BAR R2B VOTE DEPBAR";

/// The opcodes of a trace, without their suffixes, that its instruction set does not have.
fn unknown(text: &str) -> BTreeSet<String> {
    let reader = Reader::new(Cursor::new(text), "t").unwrap();
    let known = match reader.kernel().binary_version {
        60 | 61 => PASCAL,
        80 | 86 => AMPERE,
        other => panic!("no list of opcodes for sm_{other}"),
    };
    let known: BTreeSet<&str> = known.split_whitespace().collect();
    let mut unknown = BTreeSet::new();
    for event in reader {
        if let Event::Instruction(instruction) = event.unwrap() {
            let name = instruction.opcode.name.split('.').next().unwrap();
            if !known.contains(name) {
                unknown.insert(name.to_owned());
            }
        }
    }
    unknown
}

#[test]
fn every_opcode_that_is_written_exists_in_the_stated_instruction_set() {
    for (name, text) in OWN_KERNELS {
        assert_eq!(unknown(text), BTreeSet::new(), "{name}");
    }
    for (name, make) in KERNELS.into_iter().chain(VARIANTS) {
        let kernel = make(1).unwrap();
        let run = run(&kernel.program, &kernel.launch, kernel.memory.clone()).unwrap();
        let mut text = Vec::new();
        write_trace(&mut text, &kernel, 1, &run).unwrap();
        assert_eq!(
            unknown(&String::from_utf8(text).unwrap()),
            BTreeSet::new(),
            "{name}"
        );
    }
}

/// Accel-Sim does not count an atomic operation on shared memory without a destination.
#[test]
fn atomics_on_shared_memory_have_a_destination() {
    for name in ["histo", "tpacf"] {
        let (_, make) = KERNELS
            .into_iter()
            .find(|(known, _)| *known == name)
            .unwrap();
        let kernel = make(1).unwrap();
        let run = run(&kernel.program, &kernel.launch, kernel.memory.clone()).unwrap();
        let mut text = Vec::new();
        write_trace(&mut text, &kernel, 1, &run).unwrap();
        let text = String::from_utf8(text).unwrap();
        let atomics: Vec<&str> = text.lines().filter(|line| line.contains("ATOMS")).collect();
        assert!(!atomics.is_empty() && atomics.iter().all(|line| line.contains(" 1 R255 ATOMS")));
    }
}
