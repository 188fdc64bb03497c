import { describe, expect, test } from "vitest";
import { signalRules } from "../../src/signals/list-signal-rules.ts";
import { type Incident, mergeFindings } from "../../src/signals/merge-signal-findings.ts";
import type { Finding } from "../../src/signals/signal-finding.ts";

const ruleNamed = (id: string) =>
  signalRules.find(({ rule_id }) => rule_id === id) ?? Promise.reject(new Error(id));
const DAY = 86_400;

function finding(of: Partial<Finding>): Finding {
  return {
    tier: "medium",
    subject: "",
    title: "title",
    summary: "summary",
    metrics: [],
    evidence: {},
    keys: ["a"],
    seconds: 1_000_000,
    ongoing: false,
    txHash: null,
    blockNumber: null,
    ...of,
  };
}

/** Coalesces the findings of several runs of one rule and returns all incidents. */
async function play(id: string, runs: readonly Partial<Finding>[][]): Promise<Incident[]> {
  const rule = await ruleNamed(id);
  const incidents = new Map<string, Incident>();
  for (const findings of runs) {
    const known = [...incidents.values()].sort((a, b) => a.sequence - b.sequence);
    for (const changed of mergeFindings(rule, { findings: findings.map(finding), known }))
      incidents.set(`${changed.subject} ${changed.sequence}`, changed);
  }
  return [...incidents.values()];
}

describe("mergeFindings()", () => {
  test("opens an incident for a new finding", async () => {
    expect(await play("net_outflow", [[{ ongoing: true }]])).toMatchObject([
      {
        sequence: 0,
        updateCount: 0,
        firstSeen: 1_000_000,
        lastSeen: 1_000_000,
        evolution: [{ tier: "medium" }],
      },
    ]);
  });

  test("extends an ongoing incident and adds a stage only for new keys", async () => {
    const steps = [1, 2, 3].map((n) => [{ ongoing: true, seconds: 1_000_000 + n * 300 }]);
    const worse = [
      { ongoing: true, seconds: 1_001_500, keys: ["b"], tier: "high" as const, summary: "worse" },
    ];
    expect(await play("net_outflow", [...steps, worse])).toMatchObject([
      {
        updateCount: 1,
        firstSeen: 1_000_300,
        lastSeen: 1_001_500,
        tier: "high",
        keys: ["a", "b"],
        evolution: [{}, { summary: "worse" }],
      },
    ]);
  });

  test("shows an ongoing incident as the last finding does, also in a tier that it had before", async () => {
    const at = (n: number, of: Partial<Finding>) => [{ ongoing: true, seconds: 1_000_000 + n * 300, ...of }];
    const runs = [
      at(0, { tier: "high", keys: ["high"], title: "1.2%", summary: "1.2%", evidence: { fall: "1.2" } }),
      at(1, { tier: "high", keys: ["high"], title: "40%", summary: "40%", evidence: { fall: "40" } }),
      at(2, { tier: "medium", keys: ["medium"], title: "0.5%", summary: "0.5%" }),
      at(3, { tier: "high", keys: ["high"], title: "30%", summary: "30%", blockNumber: 7 }),
    ];
    const shownAfter = async (count: number) => (await play("share_price_loss", runs.slice(0, count)))[0];
    expect(await shownAfter(2)).toMatchObject({
      ...{ tier: "high", title: "40%", summary: "40%", evidence: { fall: "40" } },
      ...{ updateCount: 0, firstSeen: 1_000_000, lastSeen: 1_000_300 },
      evolution: [{ summary: "1.2%" }],
    });
    expect(await shownAfter(4)).toMatchObject({
      ...{ tier: "high", title: "30%", updateCount: 1, blockNumber: 7, sequence: 0 },
      evolution: [{ summary: "1.2%" }, { summary: "0.5%" }],
    });
  });

  test("changes nothing for a finding that says the same of the same time, but shows one that says more", async () => {
    const rule = await ruleNamed("net_outflow");
    const known = await play("net_outflow", [[{ ongoing: true }]]);
    const again = finding({ ongoing: true });
    expect(mergeFindings(rule, { findings: [again], known })).toEqual([]);
    const more = finding({ ongoing: true, summary: "more" });
    expect(mergeFindings(rule, { findings: [more], known })).toMatchObject([
      { summary: "more", updateCount: 0, lastSeen: 1_000_000 },
    ]);
  });

  test("opens another incident after the quiet time of the rule", async () => {
    const runs = [[{ ongoing: true }], [{ ongoing: true, seconds: 1_000_000 + DAY + 1 }]];
    expect((await play("net_outflow", runs)).map(({ sequence }) => sequence)).toEqual([0, 1]);
  });

  test("adds other events of the same kind to the incident, each once", async () => {
    const runs = [
      [{}],
      [{ seconds: 1_000_300 }],
      [{ keys: ["a", "b"], seconds: 1_000_600 }],
      [{ keys: ["b"], seconds: 1_000_900 }],
    ];
    expect(await play("large_withdrawal", runs)).toMatchObject([
      { updateCount: 1, lastSeen: 1_000_600, keys: ["a", "b"] },
    ]);
  });

  test("drops a finding whose keys were counted before, however late it comes", async () => {
    const runs = [[{}], [{ seconds: 1_000_000 + 3 * DAY }]];
    expect(await play("large_withdrawal", runs)).toHaveLength(1);
  });

  test("keeps one incident for each subject of a rule", async () => {
    const both = [{ subject: "owner" }, { subject: "fee" }];
    expect((await play("control_changed", [both, both])).map(({ subject }) => subject)).toEqual([
      "owner",
      "fee",
    ]);
  });

  test("opens one incident for each of several changes of one subject in a run, in the order of their times", async () => {
    const opened = { keys: ["opened"], seconds: 1_000_060 };
    const paused = { keys: ["paused"], seconds: 1_000_000 };
    const later = [{ keys: ["again"], seconds: 1_000_120 }, paused, opened];
    const told = await play("registry_changed", [[opened, paused], later]);
    expect(told.map(({ sequence, keys }) => [sequence, keys])).toEqual([
      [0, ["paused"]],
      [1, ["opened"]],
      [2, ["again"]],
    ]);
  });

  test("extends one incident by several findings of a run", async () => {
    const runs = [
      [{}],
      [
        { keys: ["b"], seconds: 1_000_060 },
        { keys: ["c"], seconds: 1_000_120 },
      ],
    ];
    expect(await play("large_withdrawal", runs)).toMatchObject([
      { sequence: 0, updateCount: 2, lastSeen: 1_000_120, keys: ["a", "b", "c"], evolution: [{}, {}, {}] },
    ]);
  });

  test("never moves the end of an incident back", async () => {
    const runs = [
      [{ ongoing: true, seconds: 1_000_600 }],
      [{ ongoing: true, seconds: 1_000_300, keys: ["b"] }],
    ];
    expect(await play("net_outflow", runs)).toMatchObject([{ lastSeen: 1_000_600, updateCount: 0 }]);
  });
});
