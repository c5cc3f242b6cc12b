//! A cause is there where a figure is far from the paper's, and made of what was counted.

use faultline_sim::machines::gpu::Granularity;

use super::super::super::causes::markdown;
use super::super::{FAULTS, IDEAL, VARIANTS};
use super::*;

/// A variant with the paper's numbers: nothing is lost but by its misses.
fn papers(variant: &str) -> Cell {
    let (missed, walks) = match variant {
        IDEAL => (0, 0),
        LARGE | ALL_LARGE => (200, 20),
        _ => (30_000, 1_000),
    };
    Cell {
        variant: variant.to_owned(),
        cycles: 1_000_000,
        lines: 100_000,
        missed,
        walks,
        spared: 0,
        ahead: 0,
        from_tlb: 0,
        faults: 0,
    }
}

fn row(workload: &str) -> Row {
    Row {
        workload: workload.to_owned(),
        sms: 16,
        variants: VARIANTS
            .iter()
            .map(|variant| papers(variant.label))
            .collect(),
    }
}

/// A program of which one variant counts otherwise.
fn with(workload: &str, variant: &str, change: impl Fn(&mut Cell)) -> Row {
    let mut row = row(workload);
    let own = row
        .variants
        .iter_mut()
        .filter(|cell| cell.variant == variant);
    own.for_each(change);
    row
}

#[test]
fn a_prefetcher_has_a_cause_where_it_changes_more() {
    assert_eq!(of_prefetch(&[row("nn"), row("lud")]), []);
    let loses = with("srad", AHEAD, |cell| {
        (cell.cycles, cell.missed) = (1_250_000, 40_000);
        (cell.spared, cell.ahead) = (100, 700);
    });
    let page = markdown(&of_prefetch(&[row("nn"), loses]));
    let told = "**What srad loses** is 20.0, and under 1.0 in the paper. The GMMU serves 1,600 walks, 1.6 times those without a prefetcher: 700 \
                were requested ahead, and 100 walks did not have to be sent. 40.0 % of the lines wait for a page, 30.0 without";
    assert!(
        page.contains(told) && page.contains("**The change of the mean**"),
        "{page}"
    );
    assert!(
        !page.contains("nn gains") && !page.contains("nn loses"),
        "{page}"
    );
    // It gains, and nothing that was counted says why.
    let gains = with("lud", AHEAD, |cell| cell.cycles = 800_000);
    let page = markdown(&of_prefetch(&[gains]));
    assert!(
        page.contains("**What lud gains** is 25.0, and under 1.0 in the paper. No counter"),
        "{page}"
    );
}

#[test]
fn large_pages_have_a_cause_where_they_save_less() {
    assert_eq!(of_large(&[row("nn")]), []);
    let mut less = with("nn", LARGE, |cell| cell.missed = 6_000);
    let many = less
        .variants
        .iter_mut()
        .find(|cell| cell.variant == ALL_LARGE);
    many.unwrap().missed = 3_000;
    let page = markdown(&of_large(&[less]));
    let told = "30,000 lines miss with pages of 4 KB, and 3,000 with large ones, 150 for each of the 20 walks that are left.\n";
    assert!(page.contains(told), "{page}");
    assert!(
        page.contains(
            "With 8 entries programs miss more often than with 64, by these factors: nn (2.0)."
        ),
        "{page}"
    );
    // Where 8 entries miss as often as 64, nothing has left.
    let alike = with("nn", LARGE, |cell| cell.missed = 3_000);
    let mut alike = Row {
        workload: "gaussian".to_owned(),
        ..alike
    };
    let many = alike
        .variants
        .iter_mut()
        .find(|cell| cell.variant == ALL_LARGE);
    many.unwrap().missed = 3_000;
    let page = markdown(&of_large(&[alike.clone()]));
    // 90 % fewer are enough in gaussian.
    assert!(!page.contains("gaussian"), "{page}");
    alike.workload = "lud".to_owned();
    let page = markdown(&of_large(&[alike]));
    assert!(
        page.contains("8 entries miss as often, so no page has left"),
        "{page}"
    );
}

#[test]
fn minor_faults_have_a_cause_where_time_is_lost() {
    assert_eq!(of_minor(&[row("nn")]), []);
    let faults = with("nw", FAULTS, |cell| {
        (cell.faults, cell.cycles) = (600, 4_000_000)
    });
    let page = markdown(&of_minor(&[faults, row("nn")]));
    let told = "1 of 2 programs faults, one fault after the other, and the handler works for 75 % of the time in the mean. It takes 5,000 cycles for \
                a fault, and in 1 of 2 programs the handler alone takes longer than the run without minor faults. Most faults, in cycles of the \
                run without: one every 1,667 cycles (nw).";
    assert!(page.contains(told), "{page}");
    // Faults that are rare.
    let rare = with("bfs", FAULTS, |cell| {
        (cell.faults, cell.cycles) = (4, 1_100_000)
    });
    let page = markdown(&of_minor(&[rare]));
    let told = "It takes 5,000 cycles for a fault. Most faults, in cycles of the run without: one every 250,000 cycles (bfs).";
    assert!(page.contains(told), "{page}");
}

/// Programs that do not fault differ where their pages lie elsewhere, for the two GPUs bring other parts of memory.
#[test]
fn programs_without_a_fault_have_a_cause_where_their_time_differs() {
    let moved = with("gaussian", FAULTS, |cell| cell.cycles = 994_000);
    let page = markdown(&of_minor(&[moved]));
    let told = "**gaussian** has no minor fault, and is at 100.6 % of its performance without them. Both runs access 100,000 lines, for 1,000 \
                and 1,000 walks: only where pages lie differs";
    assert!(page.contains(told), "{page}");
    let others = with("gaussian", FAULTS, |cell| {
        (cell.cycles, cell.walks) = (994_000, 2_000)
    });
    assert!(markdown(&of_minor(&[others])).contains("No counter of these runs says why."));
    let config = |label: &str| {
        let variant = VARIANTS.iter().find(|variant| variant.label == label);
        variant.unwrap().config(16).unwrap()
    };
    assert_eq!(config(FAULTS).paging.granularity, Granularity::Page);
    assert_eq!(config(THREE).paging.granularity, Granularity::Region);
}

#[test]
fn energy_has_a_cause_where_it_is_another_share() {
    // In design 3 the L1 TLBs take 72 % of design 2's, and the cache the rest of the paper's 80 %.
    let near = with("nn", "3", |cell| cell.walks = 1_950);
    let of_three = |rows: &[Row]| markdown(&of_energy(rows)).contains("**Design 3**");
    assert!(!of_three(&[near]));
    let far = [with("nw", "3", |cell| cell.walks = 30_000)];
    assert!(of_three(&far));
    let page = markdown(&of_energy(&far));
    assert!(page.contains("Of design 2's energy the L1 TLBs take 72.1 %, the L2 TLB 0.0 and the page-walk cache 121.3, in the arithmetic mean, as 30.0 of 100 lines request a walk. The latter two take most in nw (121.3). Of 80.0 % the L1 TLBs would leave 7.9 to these two."), "{page}");
    assert!(page.contains("**Design shared-l2** is 73.3, below design 2's 100.0 and design 3's 193.4, and above all others in the paper."), "{page}");
}
