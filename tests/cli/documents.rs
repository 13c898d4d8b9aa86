//! What `plan` prints.

use crate::bench::{Bench, transcript};

#[test]
fn a_plan_says_who_sends_what_to_whom() {
    let text = "\
linerate: 1
name: plan
hosts:
  here: {}
  router: { external: true, address: 192.0.2.9 }
tests:
  - name: upload
    tags: [slow]
    client: { host: here, server: { host: here }, parallel: 4, time: 1 min }
    assert: [throughput > 1 Mbit/s]
  - name: calls {{ tos }}
    matrix: { tos: [ef, cs0] }
    client:
      { host: here, server: { host: router, port: 5001 }, transport: udp, bitrate: 87 kbit/s, length: 200, tos: \"{{ tos }}\", time: 10s }
";
    let bench = Bench::with("plan.yaml", text);
    insta::assert_snapshot!(transcript(&bench.run(&["plan", "plan.yaml", "--skip-tag", "slow"])));
}
