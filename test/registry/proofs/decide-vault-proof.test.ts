import { describe, expect, test } from "vitest";
import type { VaultProof } from "../../../src/db/tables/vault-tables.ts";
import { decideAfterProof, type ProofFinding } from "../../../src/registry/proofs/decide-vault-proof.ts";

const NOW = Date.parse("2026-03-01T00:00:00.000Z");
const proof: VaultProof = {
  ok: true,
  blockNumber: 7,
  at: "2026-03-01T00:00:00.000Z",
  amount: "1000000",
  shares: "999",
  returned: null,
  reason: "",
};
const passed: ProofFinding = { kind: "passed", proof };
const refused: ProofFinding = { kind: "refused", proof: { ...proof, ok: false, reason: "gate closed" } };
const closed: ProofFinding = { kind: "closed", proof: { ...proof, ok: false, reason: "full" } };
const stopped: ProofFinding = { ...closed, closure: "stopped" };
const illiquid: ProofFinding = { ...closed, closure: "illiquid" };
const unread: ProofFinding = { kind: "unread", reason: "no node" };

type Entry = Parameters<typeof decideAfterProof>[0];
const entry = (change: Partial<Entry> = {}): Entry => ({
  address: `0x${"ab".repeat(20)}`,
  status: "active",
  statusBy: "admin",
  statusReason: "",
  provenance: { source: "seed", detail: "" },
  proof: null,
  proofRefusals: 0,
  ...change,
});
const decide = (change: Partial<Entry>, finding: ProofFinding) => {
  const { status, statusBy, statusReason, proofDueAt, proofRefusals } = decideAfterProof(entry(change), {
    finding,
    now: NOW,
  });
  const minutes = (proofDueAt.getTime() - NOW) / 60_000;
  return { status, statusBy, statusReason, proofRefusals, minutes };
};

/** An entry that was refused so many times, the first time so many minutes ago. */
const refusedBefore = (proofRefusals: number, minutesAgo: number): Partial<Entry> => {
  const refusedAt = new Date(NOW - minutesAgo * 60_000).toISOString();
  return { proofRefusals, proof: { ...refused.proof, refusedAt } };
};

/** Returns an entry after findings at the times at which its proof was due, and those times in minutes. */
function proveAll(findings: readonly ProofFinding[], first: Entry = entry()) {
  let [now, row] = [NOW, first];
  const minutes = findings.map((finding) => {
    const at = new Date(now).toISOString();
    const seen = finding.kind === "unread" ? finding : { ...finding, proof: { ...finding.proof, at } };
    const { proof, ...change } = decideAfterProof(row, { finding: seen, now });
    const waited = (now - NOW) / 60_000;
    [now, row] = [change.proofDueAt.getTime(), { ...row, ...change, proof: proof ?? row.proof }];
    return waited;
  });
  return { row, minutes };
}

describe("decideAfterProof()", () => {
  test("opens a reviewed candidate whose proof passes", () => {
    for (const source of ["seed", "operator"] as const)
      for (const status of ["candidate", "refused"] as const)
        expect(decide({ status, provenance: { source, detail: "" } }, passed)).toMatchObject({
          status: "active",
          statusBy: "proof",
          statusReason: "",
        });
  });

  test("never opens an imported or discovered candidate by its proof alone", () => {
    for (const source of ["list", "factory"] as const)
      expect(decide({ status: "candidate", provenance: { source, detail: "" } }, passed)).toMatchObject({
        ...{ status: "candidate", minutes: 7 * 24 * 60 },
      });
  });

  test("keeps a discovered vault open that was admitted before, without asking the gate again", () => {
    for (const source of ["list", "factory"] as const)
      expect(decide({ status: "active", provenance: { source, detail: "" } }, passed).status).toBe("active");
  });

  test("pauses an open vault whose redemptions are stopped like a refused one, and neither opens nor refuses others", () => {
    expect(decide({ proofRefusals: 0 }, stopped)).toMatchObject({
      ...{ status: "active", proofRefusals: 1, minutes: 5 },
    });
    expect(decide(refusedBefore(1, 5), stopped)).toMatchObject({
      ...{ status: "active", proofRefusals: 2, minutes: 25 },
    });
    expect(decide(refusedBefore(2, 30), stopped)).toMatchObject({
      ...{ status: "paused", statusBy: "proof", statusReason: "full", minutes: 60 },
    });
    for (const exit of [stopped, illiquid])
      for (const status of ["candidate", "refused"] as const)
        expect(decide({ status }, exit)).toMatchObject({ status, proofRefusals: 0, minutes: 60 });
    const byAdmin = { status: "paused", statusBy: "admin", statusReason: "an incident" } as const;
    expect(decide(byAdmin, stopped)).toMatchObject(byAdmin);
    expect(decide({ status: "paused", statusBy: "proof", statusReason: "old" }, stopped)).toMatchObject({
      ...{ status: "paused", statusBy: "proof", statusReason: "full" },
    });
  });

  test("pauses an illiquid vault after a day", () => {
    expect(decide({}, illiquid)).toMatchObject({ status: "active", proofRefusals: 0, minutes: 60 });
    expect(proveAll(Array(24).fill(illiquid)).row).toMatchObject({
      status: "active",
      proof: { illiquid: 24 },
    });
    const { row, minutes } = proveAll(Array(25).fill(illiquid));
    expect(row).toMatchObject({ status: "paused", statusBy: "proof", statusReason: "full" });
    expect(minutes.at(-1)).toBe(24 * 60);
    const lasting = Array(24).fill(illiquid);
    expect(proveAll([...lasting, passed, illiquid]).row).toMatchObject({
      ...{ status: "active", proof: { illiquid: 1 } },
    });
    expect(proveAll([...lasting, closed, illiquid]).row).toMatchObject({ status: "paused" });
  });

  test("neither pauses an illiquid vault earlier because of further proofs, nor later because nodes failed", () => {
    const illiquidFor = (hours: number, count: number): Partial<Entry> => {
      const illiquidSince = new Date(NOW - hours * 3_600_000).toISOString();
      return { proof: { ...illiquid.proof, illiquidSince, illiquid: count } };
    };
    expect(decide(illiquidFor(23, 99), illiquid)).toMatchObject({ status: "active", minutes: 60 });
    expect(decide(illiquidFor(24, 1), illiquid)).toMatchObject({ status: "active", minutes: 60 });
    expect(decide(illiquidFor(24, 2), illiquid)).toMatchObject({ status: "paused", minutes: 60 });
    const { row, minutes } = proveAll([illiquid, ...Array(150).fill(unread), illiquid, illiquid]);
    expect([row.status, minutes.at(-1)]).toEqual(["paused", 27 * 60]);
    const earlier = { ...illiquid.proof, illiquid: 24 };
    expect(decide({ proof: earlier }, illiquid)).toMatchObject({ status: "active" });
  });

  test("pauses an illiquid vault that is refused only when the refusal stands for 30 minutes", () => {
    for (const earlier of [1, 2, 24]) {
      const before: ProofFinding[] = Array(earlier).fill(illiquid);
      for (const refusals of [1, 2])
        expect(proveAll([...before, ...Array(refusals).fill(refused)]).row).toMatchObject({
          ...{ status: "active", proofRefusals: refusals, proof: { illiquid: earlier } },
        });
      const { row, minutes } = proveAll([...before, refused, refused, refused]);
      expect(row).toMatchObject({ status: "paused", statusBy: "proof", statusReason: "gate closed" });
      expect(minutes.slice(earlier).map((at) => at - 60 * earlier)).toEqual([0, 5, 30]);
    }
  });

  test("counts neither a refusal before the vault was illiquid nor loses the illiquid proofs before a refusal", () => {
    const changing = [refused, refused, illiquid];
    expect(proveAll([...changing, refused]).row).toMatchObject({ status: "active", proofRefusals: 1 });
    // A round takes 90 minutes.
    const often = Array(17).fill(changing).flat();
    expect(proveAll(often.slice(0, -1)).row).toMatchObject({ status: "active", proof: { illiquid: 16 } });
    expect(proveAll(often).row).toMatchObject({ status: "paused", statusReason: "full" });
  });

  test("refuses a candidate at its first refusal, with the reason", () => {
    expect(decide({ status: "candidate" }, refused)).toEqual({
      status: "refused",
      statusBy: "proof",
      statusReason: "gate closed",
      proofRefusals: 1,
      minutes: 360,
    });
  });

  test("pauses an active vault when the refusal stands 5 and 30 minutes after the first", () => {
    expect(decide({}, refused)).toMatchObject({ status: "active", proofRefusals: 1, minutes: 5 });
    expect(decide(refusedBefore(1, 5), refused)).toMatchObject({ status: "active", minutes: 25 });
    expect(decide(refusedBefore(2, 30), refused)).toMatchObject({
      status: "paused",
      statusBy: "proof",
      statusReason: "gate closed",
      minutes: 60,
    });
    expect(proveAll([refused, refused, refused]).minutes).toEqual([0, 5, 30]);
  });

  test("neither pauses earlier because of further proofs, nor by fewer after a failure of the nodes", () => {
    expect(decide(refusedBefore(1, 1), refused)).toMatchObject({ status: "active", minutes: 4 });
    expect(decide(refusedBefore(2, 2), refused)).toMatchObject({ status: "active", minutes: 3 });
    expect(decide(refusedBefore(9, 10), refused)).toMatchObject({ status: "active", minutes: 20 });
    expect(decide(refusedBefore(9, 30), refused)).toMatchObject({ status: "paused", minutes: 60 });
    expect(decide(refusedBefore(1, 90), refused)).toMatchObject({ status: "active", minutes: 25 });
    const asked = { finding: refused, now: NOW, byAdmin: true };
    expect(decideAfterProof(entry(refusedBefore(1, 1)), asked)).toMatchObject({ status: "active" });
    expect(decideAfterProof(entry(refusedBefore(2, 2)), asked)).toMatchObject({ status: "paused" });
    const { row, minutes } = proveAll([refused, unread, unread, unread, refused, refused]);
    expect([row.status, minutes]).toEqual(["paused", [0, 5, 15, 25, 35, 60]]);
  });

  test("does not count refusals without the time of the first, of a release that counted illiquid proofs too", () => {
    for (const earlier of [null, illiquid.proof, refused.proof])
      expect(decide({ proofRefusals: 2, proof: earlier }, refused)).toMatchObject({
        ...{ status: "active", proofRefusals: 1, minutes: 5 },
      });
  });

  test("forgets earlier refusals when a proof passes", () => {
    expect(decide({ proofRefusals: 2 }, passed)).toMatchObject({ status: "active", proofRefusals: 0 });
  });

  test("reopens what a proof paused, and nothing that an administrator closed", () => {
    expect(decide({ status: "paused", statusBy: "proof", statusReason: "x" }, passed)).toMatchObject({
      status: "active",
      statusReason: "",
    });
    for (const status of ["paused", "unsupported"] as const)
      for (const finding of [passed, refused, closed, unread])
        expect(decide({ status, statusReason: "their decision" }, finding)).toMatchObject({
          status,
          statusBy: "admin",
          statusReason: "their decision",
        });
  });

  test("reopens what an administrator had opened as theirs, unless they decide again", () => {
    for (const findings of [[refused, refused, refused], Array(25).fill(illiquid)]) {
      const { row } = proveAll([...findings, closed, stopped]);
      expect(row).toMatchObject({ status: "paused", statusBy: "proof", proof: { openedBy: "admin" } });
      const reopened = proveAll([passed], row).row;
      expect(reopened).toMatchObject({ status: "active", statusBy: "admin", statusReason: "" });
      expect(reopened.proof).not.toHaveProperty("openedBy");
    }
    const own = entry({ statusBy: "proof" });
    expect(proveAll([refused, refused, refused, passed], own).row).toMatchObject({ statusBy: "proof" });
  });

  test("neither counts nor forgets refusals by a failure to read, or while the vault is full or paused on chain", () => {
    expect(decide({ proofRefusals: 2 }, unread)).toMatchObject({
      status: "active",
      proofRefusals: 2,
      minutes: 10,
    });
    expect(decide({ proofRefusals: 2 }, closed)).toMatchObject({
      status: "active",
      proofRefusals: 2,
      minutes: 60,
    });
    expect(proveAll([refused, refused, closed, refused]).row).toMatchObject({ status: "paused" });
    expect(proveAll([closed, closed, closed, refused]).row).toMatchObject({ proofRefusals: 1 });
    expect(proveAll([refused, closed, passed, refused]).row).toMatchObject({ proofRefusals: 1 });
    expect(decideAfterProof(entry(), { finding: unread, now: NOW }).proof).toBeNull();
  });

  test.each([["refusals", refused] as const, ["illiquid proofs", illiquid] as const])(
    "forgets %s of a vault that was full for three days after the last of them",
    (_what, finding) => {
      const statusAfter = (hours: number) =>
        proveAll([finding, finding, ...Array.from({ length: hours }, () => closed), finding]).row.status;
      expect(statusAfter(70)).toBe("paused");
      expect(statusAfter(75)).toBe("active");
    },
  );

  test("tries a candidate that anyone may have made less often when it cannot be read", () => {
    const status = "candidate";
    for (const source of ["factory", "list"] as const)
      expect(decide({ status, provenance: { source, detail: "" } }, unread)).toMatchObject({ minutes: 360 });
    expect(decide({ status }, unread)).toMatchObject({ minutes: 10 });
    expect(decide({ provenance: { source: "factory", detail: "" } }, unread)).toMatchObject({ minutes: 10 });
  });

  test("tries a candidate that anyone may have made less often when its contract keeps it closed", () => {
    const status = "candidate";
    const provenance = { source: "factory", detail: "" } as const;
    for (const finding of [stopped, illiquid]) {
      expect(decide({ status, provenance }, finding)).toMatchObject({ status, minutes: 360 });
      expect(decide({ status }, finding)).toMatchObject({ status, minutes: 60 });
    }
    expect(decide({ status, provenance }, closed)).toMatchObject({ status, minutes: 60 });
  });

  test("renews every passed proof within a day, spread over hours", () => {
    const due = ["0000", "8000", "ffff"].map(
      (end) => decide({ address: `0x${"0".repeat(36)}${end}` }, passed).minutes,
    );
    expect(due.map(Math.round)).toEqual([1200, 1320, 1440]);
  });
});
