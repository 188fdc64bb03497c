import { describe, expect, test } from "vitest";
import { vaultRow } from "../../../scripts/bench/vault-row.ts";
import { signalRules } from "../../../src/signals/list-signal-rules.ts";
import {
  decodeEventArgs,
  eventTopic,
  findGovernanceEvent,
  governanceEventsOf,
} from "../../../src/vaults/governance/find-governance-event.ts";
import { governanceContractsOf } from "../../../src/vaults/governance/governance-event.ts";
import { toVault } from "../../../src/vaults/vault.ts";
import { families } from "../../../src/vaults/vault-families.ts";
import { factsOf, NOW } from "../../support/signals/facts.ts";
import { logOf } from "../../support/vaults/governance-logs.ts";

const adapters = families.map(({ adapter }) => adapter.name);
const at = (last: string) => `0x${last.padStart(40, "0")}` as const;
/** A vault whose contracts all have different addresses. */
const vaultOf = (adapter: string) =>
  toVault({
    ...vaultRow({ number: 1, adapter }),
    ...{ entryPoint: at("e1"), pricer: at("e2"), shareToken: at("e3") },
  });

const links = { authority: at("f1"), feeManager: at("f2"), redemptions: at("f3"), beacon: at("f4") };

/** The findings of all rules for some governance events. */
function found(adapter: string, events: ReturnType<typeof governanceEventsOf>) {
  const governanceChanges = events.map((event, index) => ({
    key: `0x0${index}:1`,
    txHash: `0x0${index}`,
    blockNumber: 100 + index,
    seconds: NOW - 600 + index,
    event,
    args: decodeEventArgs(event, logOf(event)),
  }));
  return signalRules.flatMap((rule) =>
    rule
      .find({ ...factsOf(), adapter, governanceChanges }, NOW)
      .map((finding) => ({ rule: rule.rule_id, ...finding })),
  );
}

describe.each(adapters)("governance events of %s", (adapter) => {
  const vault = vaultOf(adapter);

  test("each is found by emitter and topic, decoded, and raises one signal with a complete text", () => {
    for (const event of governanceEventsOf(adapter)) {
      const log = logOf(event);
      expect(log.topics[0]).toBe(eventTopic(event));
      const address = governanceContractsOf(vault, links)[event.contract] ?? "";
      expect(findGovernanceEvent(vault, { address, topic: log.topics[0], links })).toBe(event);
      // A stored log is found again without the links of its time.
      expect(findGovernanceEvent(vault, { address, topic: log.topics[0], links: null })).toBe(event);
      expect(decodeEventArgs(event, log)).not.toBeNull();
      const [one, ...others] = found(adapter, [event]);
      expect(others).toEqual([]);
      expect(one).toMatchObject({
        rule: event.stage === "done" ? "setting_changed" : "change_announced",
        tier: event.tier,
        txHash: "0x00",
        keys: ["0x00:1"],
      });
      const texts = `${one?.title} ${one?.summary} ${one?.evidence["told"]}`;
      expect(texts).not.toMatch(/undefined|null|NaN|\[object|Infinity| {2}|,\.|,,/);
      expect(one?.title.length).toBeLessThan(120);
    }
  });

  test("decodeEventArgs() returns null for data of another event version", () => {
    for (const event of governanceEventsOf(adapter)) {
      const { topics } = logOf(event);
      const members = decodeEventArgs(event, { topics, data: "0x01" });
      if (event.signature.endsWith("()") || logOf(event).data === "0x") continue;
      expect(members).toBeNull();
    }
  });

  test("findGovernanceEvent() ignores logs of other contracts", () => {
    for (const event of governanceEventsOf(adapter))
      expect(
        findGovernanceEvent(vault, { address: at("ff"), topic: eventTopic(event), links }),
      ).toBeUndefined();
  });
});

test("seenByView() is true for a change that a view shows", () => {
  const seen = (adapter: string, name: string, given: Record<string, unknown>) => {
    const event = governanceEventsOf(adapter).find(({ signature }) => signature.startsWith(name));
    const members = event === undefined ? null : decodeEventArgs(event, logOf(event, given));
    if (event === undefined || members === null) throw new Error(`${adapter} has no ${name}`);
    return event.seenByView?.(members, vaultOf(adapter)) === true;
  };
  const asset = vaultOf("veda").asset.address;
  expect(seen("veda", "AssetDataUpdated", { asset, allowDeposits: false })).toBe(true);
  expect(seen("veda", "AssetDataUpdated", { asset, allowDeposits: true })).toBe(false);
  expect(seen("veda", "AssetDataUpdated", { allowDeposits: false })).toBe(false);
  expect(seen("midas", "RemovePaymentToken", { token: asset })).toBe(true);
  expect(seen("midas", "RemovePaymentToken", {})).toBe(false);
  expect(seen("lagoon", "StateUpdated", { state: 1 })).toBe(true);
  expect(seen("lagoon", "StateUpdated", { state: 2 })).toBe(false);
  expect(seen("mellow", "SetQueueStatus", { queue: at("e1") })).toBe(true);
  expect(seen("mellow", "SetQueueStatus", { queue: at("aa") })).toBe(false);
  expect(seen("euler", "GovSetHookConfig", { newHookTarget: at("0"), newHookedOps: 1 })).toBe(true);
  expect(seen("euler", "GovSetHookConfig", { newHookTarget: at("0"), newHookedOps: 13 })).toBe(false);
  expect(seen("euler", "GovSetHookConfig", { newHookedOps: 1 })).toBe(false);
  expect(seen("upshift", "DepositWithdrawalStatusChanged", { bWithdrawalsPaused: false })).toBe(true);
  expect(seen("upshift", "DepositWithdrawalStatusChanged", {})).toBe(false);
  expect(seen("veda", "OwnershipTransferred", {})).toBe(false);
  expect(seen("ipor", "TargetClosed", { target: at("e1") })).toBe(true);
  expect(seen("ipor", "TargetClosed", {})).toBe(false);
});

test("routine() is true for roles that are granted every day, false for governance roles", () => {
  const granted = governanceEventsOf("ipor").find(({ signature }) => signature.startsWith("RoleGranted("));
  const told = (roleId: bigint) =>
    decodeEventArgs(granted ?? fail(), logOf(granted ?? fail(), { roleId })) ?? {};
  expect([800n, 1_000n].map((role) => granted?.routine?.(told(role)))).toEqual([true, true]);
  expect([1n, 100n, 7n].map((role) => granted?.routine?.(told(role)))).toEqual([false, false, false]);
  expect(granted?.describe(told(100n))).toMatch(/^now include 0x0{34}0*c0DE5 as atomist$/i);
  expect(granted?.describe(told(7n))).toMatch(/ as role 7$/);
});

const fail = (): never => {
  throw new Error("there is none");
};

test("several events of a kind become one signal with the latest value and their number", () => {
  const fee = governanceEventsOf("veda").filter(({ signature }) =>
    signature.startsWith("PlatformFeeUpdated"),
  );
  const [one] = found("veda", [...fee, ...fee, ...fee]);
  expect(one).toMatchObject({ keys: ["0x00:1", "0x01:1", "0x02:1"], txHash: "0x02", blockNumber: 102 });
  expect(one?.title).toBe("Steady USDC: platform fee changed");
  expect(one?.summary).toBe(
    "The platform fee of Steady USDC went from 1% to 1.01%. The change took effect at 2027-01-15 07:50 UTC. 2 more " +
      "changes of this kind took effect within a day. Fees reduce what holders earn: compare the net yield with that of " +
      "other vaults.",
  );
});

test("a timelocked submission names its setting and the earliest execution time", () => {
  const submit = governanceEventsOf("morpho_v2").find(({ signature }) => signature.startsWith("Submit("));
  if (submit === undefined) throw new Error("there is none");
  // setPerformanceFee(uint256)
  const log = logOf(submit, { selector: "0x70897b23", executableAt: 1_800_000_000n });
  expect(submit.describe(decodeEventArgs(submit, log) ?? {})).toBe(
    "concerns the performance fee and can be executed from 2027-01-15 08:00 UTC",
  );
  const never = logOf(submit, { executableAt: 2n ** 256n - 1n });
  expect(submit.describe(decodeEventArgs(submit, never) ?? {})).toContain("never");
});
