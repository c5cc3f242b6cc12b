//! The report's section on far faults.

use faultline_sim::machines::translation::Parameters;

use super::Args;
use super::jobs::{MHZ, Row};
use super::markdown::grid;
use super::tables::microseconds;
use crate::output::grouped;

/// The far faults of an SM that are tried.
pub const MSHRS: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// The pages for which an L1 TLB waits: those of the block, and those of the other runs.
pub const MISSES: [usize; 2] = [8, 128];
/// Throughput against far faults of an SM.
pub fn far_faults(rows: &[Row], args: &Args, parameters: &Parameters) -> String {
    let of = |misses, mshrs| {
        let mut absent = rows.iter().filter(|row| row.far_faults_percent > 0);
        absent.find(|row| row.misses == misses && row.mshr_per_sm == mshrs)
    };
    let per_ms = |misses, mshrs| of(misses, mshrs).map_or(f64::NAN, |row| row.far_faults_per_ms);
    let gain = |misses, mshrs| {
        let one = per_ms(misses, MSHRS[0]);
        let most = MSHRS.map(|mshrs| per_ms(misses, mshrs));
        let most = most.into_iter().fold(one, f64::max);
        100.0 * (per_ms(misses, mshrs) - one) / (most - one).max(f64::MIN_POSITIVE)
    };
    let p99 = |misses, mshrs| {
        let cycles = of(misses, mshrs).and_then(|row| row.fault_service.p99);
        microseconds(cycles.map(|cycles| cycles as f64))
    };
    let link = (1000 * MHZ) as f64 / parameters.transfer as f64;
    let service = args.service_us.unwrap_or(20);
    let lines = MSHRS.map(|mshrs| {
        let bound = (1000.0 * (mshrs * args.sms) as f64 / service as f64).min(link);
        let mut line = vec![mshrs.to_string(), format!("{bound:.0}")];
        for misses in MISSES {
            line.extend([
                format!("{:.0}", per_ms(misses, mshrs)),
                format!("{:.0}", gain(misses, mshrs)),
                grouped(of(misses, mshrs).map_or(0, |row| row.nacks)),
                p99(misses, mshrs),
            ]);
        }
        line
    });
    let [few, many] = MISSES;
    let table = grid(
        format!(
            "## Far faults\n\nDesign 3 on `stream`, every page absent at first. The driver brings a page in {service} us, of \
             which it takes {} cycles of the link (4 KB over 16 GB/s: Zheng et al., HPCA 2016, section 3). Memory acknowledges \
             the words of a record as late as it answers a read. Where an SM has no \
             MSHR left it is told Nack, and asks again for one page with each of its far faults that resolves. An L1 TLB waits \
             for {few} pages, as the block does, or for {many}. *Bound*: MSHRs over the time of a service, or what the link \
             carries, whichever is less; *gain*: of all that is gained over one MSHR; *p99*: from a miss to its page, us.",
            parameters.transfer
        ),
        &[
            "MSHRs per SM",
            "bound, faults per ms",
            &format!("{few} misses: faults per ms"),
            "gain, %",
            "Nacks",
            "p99",
            &format!("{many} misses: faults per ms"),
            "gain, %",
            "Nacks",
            "p99",
        ],
        lines.into(),
    );
    let beyond = |misses| 100.0 * (per_ms(misses, 32) / per_ms(misses, 16) - 1.0);
    let mut told = format!(
        "The paper: four are enough, and nothing is gained beyond 16. Here four have {:.0} % of the gain with {few} misses and \
         {:.0} % with {many}, and 32 gain {:.1} % and {:.1} % over 16.",
        gain(few, 4),
        gain(many, 4),
        beyond(few),
        beyond(many)
    );
    told += &format!(
        " With {few} misses an SM has no more than {few} far faults, so more MSHRs cannot help it{}.",
        match 1000.0 * (few * args.sms) as f64 / service as f64 > link {
            true => ", and fewer fill the link",
            false => "",
        }
    );
    format!("{table}\n\n{told}")
}
