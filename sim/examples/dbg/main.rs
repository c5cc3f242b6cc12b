use faultline_sim::sm::restart::Trial;
use faultline_sim::sm_pipeline::Scheme;
fn main() {
    for scheme in Scheme::ALL {
        let mut fails = std::collections::BTreeMap::new();
        for seed in 0..1000 {
            let t = Trial::new(scheme, seed).unwrap();
            if let Err(f) = t.run() {
                let s = f.to_string();
                let key = s.split(": ").last().unwrap()[..24].to_string();
                let e = fails
                    .entry((key, t.parameters.pipeline.queue.entries))
                    .or_insert((0, seed));
                e.0 += 1;
            }
        }
        println!("{} {fails:?}", scheme.name());
    }
}
