import { describe, expect, test } from "vitest";
import type { Finding } from "../../src/signals/finding.ts";
import { coalesceFindings, type Incident } from "../../src/signals/incidents.ts";
import { signalRules } from "../../src/signals/list-rules.ts";

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

/** Plays looks at one rule, one after the other, and tells all incidents in the end. */
async function play(id: string, looks: readonly Partial<Finding>[][]): Promise<Incident[]> {
  const rule = await ruleNamed(id);
  const incidents = new Map<string, Incident>();
  for (const look of looks) {
    const known = [...incidents.values()].sort((a, b) => a.sequence - b.sequence);
    for (const changed of coalesceFindings(rule, { findings: look.map(finding), known }))
      incidents.set(`${changed.subject} ${changed.sequence}`, changed);
  }
  return [...incidents.values()];
}

describe("incidents", () => {
  test("begin with a finding", async () => {
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

  test("go on while they are found, and change only with what is new", async () => {
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

  test("begin anew after a quiet time", async () => {
    const looks = [[{ ongoing: true }], [{ ongoing: true, seconds: 1_000_000 + DAY + 1 }]];
    expect((await play("net_outflow", looks)).map(({ sequence }) => sequence)).toEqual([0, 1]);
  });

  test("take in other events of the same kind, each once", async () => {
    const looks = [
      [{}],
      [{ seconds: 1_000_300 }],
      [{ keys: ["a", "b"], seconds: 1_000_600 }],
      [{ keys: ["b"], seconds: 1_000_900 }],
    ];
    expect(await play("large_withdrawal", looks)).toMatchObject([
      { updateCount: 1, lastSeen: 1_000_600, keys: ["a", "b"] },
    ]);
  });

  test("are not raised again for what they were raised for, however late it is found", async () => {
    const looks = [[{}], [{ seconds: 1_000_000 + 3 * DAY }]];
    expect(await play("large_withdrawal", looks)).toHaveLength(1);
  });

  test("of one rule about different things stand side by side", async () => {
    const both = [{ subject: "owner" }, { subject: "fee" }];
    expect((await play("control_changed", [both, both])).map(({ subject }) => subject)).toEqual([
      "owner",
      "fee",
    ]);
  });

  test("never go back in time", async () => {
    const looks = [
      [{ ongoing: true, seconds: 1_000_600 }],
      [{ ongoing: true, seconds: 1_000_300, keys: ["b"] }],
    ];
    expect(await play("net_outflow", looks)).toMatchObject([{ lastSeen: 1_000_600, updateCount: 0 }]);
  });
});
