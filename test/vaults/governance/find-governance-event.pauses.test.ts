import { describe, expect, test } from "vitest";
import { decodeEventArgs } from "../../../src/vaults/governance/find-governance-event.ts";
import { formatDuration } from "../../../src/vaults/governance/governance-event.ts";
import { NOW } from "../../support/signals/facts.ts";
import { eventNamed, findingsOf, textOf } from "../../support/signals/governance-findings.ts";
import { logOf } from "../../support/vaults/governance-logs.ts";

const ZERO = "0x0000000000000000000000000000000000000000";

describe("GovSetHookConfig of Euler", () => {
  const hook = (newHookedOps: number, newHookTarget?: string) =>
    textOf("euler", "GovSetHookConfig", {
      newHookedOps,
      ...(newHookTarget === undefined ? {} : { newHookTarget }),
    });
  const isSeen = (newHookedOps: number) => {
    const event = eventNamed("euler", "GovSetHookConfig");
    const args = decodeEventArgs(event, logOf(event, { newHookTarget: ZERO, newHookedOps })) ?? {};
    return event.seenByView?.(args, {} as Parameters<typeof event.seenByView>[1]) === true;
  };

  test("a configuration that disables no withdrawals is reported, because an earlier one may have done so", () => {
    expect(isSeen(0)).toBe(false);
    expect(hook(0, ZERO)).toMatch(
      /^The hook configuration of Steady USDC was set at .* UTC without a hook contract\. It disables (deposits but )?neither withdrawals nor share transfers\. Find out why: the configuration may disable other operations, such as borrowing\. \(Steady USDC: (hook configuration changed|deposits disabled)\)$/,
    );
    expect(hook(16, ZERO)).toContain("The configuration does not disable withdrawals.");
    const [enabled] = findingsOf("euler", [eventNamed("euler", "GovSetHookConfig")], {
      ...{ newHookTarget: ZERO, newHookedOps: 0 },
    });
    expect(enabled?.tier).toBe("medium");
  });

  test.each([
    [64, "The hook is not called for deposits, share transfers or withdrawals."],
    [2, "The hook can refuse deposits: check"],
    [12, "The hook can refuse withdrawals: check"],
    [29, "The hook can refuse deposits, share transfers and withdrawals: check"],
    [1 << 14, "The hook can refuse deposits, share transfers and withdrawals: check"],
  ])("advice about a hook for the operations %i names what it can refuse", (operations, text) => {
    expect(hook(operations)).toContain(text);
  });
});

describe("SetFlags of Mellow", () => {
  const none = {
    ...{ hasMintPause: false, hasBurnPause: false, hasTransferPause: false },
    ...{ hasWhitelist: false, hasTransferWhitelist: false, globalLockup: 0 },
  };
  const found = (change: Partial<Record<keyof typeof none, boolean | number>>) =>
    findingsOf("mellow", [eventNamed("mellow", "SetFlags")], { flags: { ...none, ...change } })[0];

  test.each([
    [{ hasBurnPause: true }, "redemptions paused", " UTC: redemptions are paused; share transfers are not"],
    [
      { hasTransferPause: true },
      "share transfers paused",
      "are not paused; share transfers are paused; no lock-up",
    ],
    [{ globalLockup: NOW + 86_400 }, "shares locked", "; all shares are locked until 20"],
    [
      { hasBurnPause: true, hasTransferPause: true, hasMintPause: true },
      "redemptions paused, share transfers paused",
      "; minting of shares is paused, so price reports that charge a fee fail",
    ],
  ])("%o is high", (change, title, text) => {
    const finding = found(change);
    expect(finding).toMatchObject({ tier: "high", title: `Steady USDC: ${title}` });
    expect(finding?.summary).toContain(text);
    expect(finding?.summary).toMatch(/and when you can (withdraw|transfer shares) again\.$/);
  });

  test("flags that stop nothing, also a lock-up that is over, are medium, because a pause may have ended", () => {
    for (const change of [{}, { globalLockup: NOW - 86_400 }])
      expect(found(change)).toMatchObject({
        tier: "medium",
        title: "Steady USDC: settings of the share manager changed",
      });
    expect(found({ hasMintPause: true })).toMatchObject({
      tier: "medium",
      title: "Steady USDC: minting of shares paused",
    });
    expect(found({ hasWhitelist: true })?.summary).toContain("; only listed accounts can deposit. The event");
  });
});

test("the root 0 removes Mellow's depositor whitelist", () => {
  const text = (newWhitelistMerkleRoot: string) =>
    textOf("mellow", "SetWhitelistMerkleRoot", { newWhitelistMerkleRoot });
  expect(text(`0x${"0".repeat(64)}`)).toMatch(
    /was removed at .*no Merkle proof now.*\(Merkle root\) removed\)$/,
  );
  expect(text(`0x${"1".repeat(64)}`)).toMatch(/was changed at .*still listed\..*\(Merkle root\) changed\)$/);
});

test("a redemption function of Midas and a holder's function of IPOR are named", () => {
  expect(textOf("midas", "PauseFn", { fn: "0xbfc2d46a" })).toContain(
    "Redemption requests (function 0xbfc2d46a) from",
  );
  expect(textOf("midas", "UnpauseFn", { fn: "0x01020304" })).toContain(
    "Redemptions (function 0x01020304) from",
  );
  const role = (selector: string, roleId: bigint) =>
    textOf("ipor", "TargetFunctionRoleUpdated", { selector, roleId });
  expect(role("0x6e553f65", 2n ** 64n - 1n)).toMatch(
    /^Function deposit \(0x6e553f65\) of contract .* requires no role\..* Any account can call this function now\. \(/,
  );
  expect(role("0x01020304", 2n ** 64n - 1n)).toContain("function now: find out what it does.");
  expect(role("0xba087652", 800n)).toContain('now requires the role "whitelist" (may deposit).');
});

test.each([
  ["DelayInSecondsUpdated", "Delay"],
  ["UpperBoundUpdated", "Bound"],
  ["LowerBoundUpdated", "Bound"],
])("%s of Veda to the value before is routine", (name, member) => {
  const event = eventNamed("veda", name);
  const isRoutine = (after: number) =>
    event.routine?.(
      decodeEventArgs(event, logOf(event, { [`old${member}`]: 100, [`new${member}`]: after })) ?? {},
    );
  expect([isRoutine(100), isRoutine(101)]).toEqual([true, false]);
});

test("formatDuration() names a timelock without end in words", () => {
  expect(formatDuration(2n ** 256n - 1n)).toBe("more than 3,000 years");
  expect(formatDuration(2n ** 32n - 1n)).toBe("4294967295 seconds");
});

test("a strategy's pause stops withdrawals too, and its end is less severe", () => {
  expect(textOf("yearn_v3", "UpdatePaused", { paused: true })).toBe(
    "Deposits into and withdrawals from Steady USDC were paused at 2027-01-15 07:50 UTC. Find out why, and when deposits and " +
      "withdrawals will resume. (Steady USDC: deposits and withdrawals paused)",
  );
  expect(textOf("yearn_v3", "UpdatePaused", { paused: false })).toContain("(Steady USDC: pause ended)");
});

test("an abdication names the change that the vault can never make again", () => {
  expect(textOf("morpho_v2", "Abdicate", { selector: "0x70897b23" })).toBe(
    "The function of Steady USDC for a change to the performance fee was abdicated (permanently deactivated) at " +
      "2027-01-15 07:50 UTC. This cannot be undone: the vault can never make such a change again. (Steady USDC: function abdicated)",
  );
});
