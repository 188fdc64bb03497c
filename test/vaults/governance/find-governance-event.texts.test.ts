import {
  encodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  parseAbiItem,
  parseAbiParameters,
  stringToHex,
} from "viem";
import { describe, expect, test } from "vitest";
import { families } from "../../../src/vaults/families/vault-families.ts";
import { decodeEventArgs, governanceEventsOf } from "../../../src/vaults/governance/find-governance-event.ts";
import type { GovernanceEvent } from "../../../src/vaults/governance/governance-event.ts";
import { eventNamed, findingsOf, textOf } from "../../support/signals/governance-findings.ts";
import { logOf } from "../../support/vaults/governance-logs.ts";

const ZERO = "0x0000000000000000000000000000000000000000";
const NO_LIMIT = 2n ** 128n - 1n;

/** Arguments that mean "none", "off" or zero, for those types that have such a value. */
function offValues({ signature }: GovernanceEvent): Record<string, unknown> {
  const { inputs } = parseAbiItem(`event ${signature}` as "event Known(address account)");
  const off: Readonly<Record<string, unknown>> = { address: ZERO, bool: false };
  const values = inputs.map(({ name, type }: { name: string; type: string }) => {
    const bits = Number(/^uint(\d+)$/.exec(type)?.[1] ?? Number.NaN);
    return [name, bits <= 48 ? 0 : bits > 48 ? 0n : off[type]];
  });
  return Object.fromEntries(values);
}

describe.each(families.map(({ adapter }) => adapter.name))("governance texts of %s", (adapter) => {
  test("no advice begins a sentence with a pronoun, because other sentences precede it", () => {
    for (const event of governanceEventsOf(adapter))
      for (const given of [{}, offValues(event), null]) {
        const [finding] = findingsOf(adapter, [event, event], given);
        const [, advice] = finding?.summary.split("1 more event of this kind ") ?? [];
        expect(advice).toMatch(/^was recorded within a day\./);
        expect(advice, event.signature).not.toMatch(/[.:;] (Once |When )?(It|They|Its|Their)\b/i);
      }
  });
});

test("an undecodable event is named by a correct plural", () => {
  expect(textOf("yearn_v3", "StrategyChanged", null)).toContain("strategies changed");
});

test.each([
  ["veda", "PlatformFeeUpdated", ["oldFee", "newFee"], "management fee"],
  ["veda", "PerformanceFeeUpdated", ["oldFee", "newFee"], "performance fee"],
  ["lagoon", "MaxCapUpdated", ["previousMaxCap", "maxCap"], "deposit cap"],
  ["upshift_legacy", "OnMaxSupplyChanged", ["prevValue", "newValue"], "supply cap"],
] as const)("%s %s is increased, reduced or not reported", (adapter, name, [from, to], what) => {
  const event = eventNamed(adapter, name);
  const given = (before: number, after: number) => ({ [from]: BigInt(before), [to]: BigInt(after) });
  const isRoutine = (before: number, after: number) =>
    event.routine?.(decodeEventArgs(event, logOf(event, given(before, after))) ?? {});
  expect(textOf(adapter, name, given(1, 2))).toContain(`: ${what} increased)`);
  expect(textOf(adapter, name, given(2, 1))).toContain(`: ${what} reduced)`);
  expect([isRoutine(1, 2), isRoutine(2, 1), isRoutine(2, 2)]).toEqual([false, false, true]);
});

describe("RatesUpdated of Lagoon", () => {
  const rates = (change: Record<string, number> = {}) => ({
    ...{ managementRate: 100, performanceRate: 2_000, entryRate: 50, exitRate: 30, haircutRate: 0 },
    ...change,
  });
  const argsOf = (newRate: Record<string, number>) => ({ oldRates: rates(), newRate, timestamp: 1n });
  const isRoutine = (newRate: Record<string, number>): boolean | undefined => {
    const event = eventNamed("lagoon", "RatesUpdated");
    return event.routine?.(decodeEventArgs(event, logOf(event, argsOf(newRate))) ?? {});
  };

  test("reports each changed fee that no view's snapshot contains", () => {
    expect(textOf("lagoon", "RatesUpdated", argsOf(rates({ exitRate: 10 })))).toMatch(
      /^The exit fee of Steady USDC changed from 0\.3% to 0\.1%\. The change took effect at 20/,
    );
    const both = textOf("lagoon", "RatesUpdated", argsOf(rates({ entryRate: 0, haircutRate: 200 })));
    expect(both).toContain("The entry fee of Steady USDC changed from 0.5% to 0%.");
    expect(both).toContain(
      "The haircut (deduction from instant redemptions) of Steady USDC changed from 0% to 2%.",
    );
    expect(both).toContain("(Steady USDC: entry fee and haircut changed)");
    const haircut = textOf("lagoon", "RatesUpdated", argsOf(rates({ haircutRate: 200 })));
    expect(haircut).toContain("(Steady USDC: haircut changed)");
  });

  test("is left out if only the management or the performance fee changed, which a view shows", () => {
    expect(isRoutine(rates({ managementRate: 0, performanceRate: 0 }))).toBe(true);
    expect(isRoutine(rates({ managementRate: 0, exitRate: 10 }))).toBe(false);
    expect(isRoutine(rates({ entryRate: 10 }))).toBe(false);
    expect(isRoutine(rates({ haircutRate: 10 }))).toBe(false);
  });
});

describe("a cap of Morpho Vault V2 without a limit", () => {
  const idData = encodeAbiParameters(parseAbiParameters("string, address"), ["this", ZERO]);

  test.each(["IncreaseAbsoluteCap", "DecreaseAbsoluteCap"])("%s says that it is unlimited", (name) => {
    expect(textOf("morpho_v2", name, { idData, newAbsoluteCap: NO_LIMIT })).toMatch(
      /^The absolute cap for adapter 0x0{40} of Steady USDC is now unlimited\. The change took effect at 20/,
    );
  });

  test("a submission says so, too", () => {
    const abi = parseAbi(["function increaseAbsoluteCap(bytes idData, uint256 cap)"]);
    const data = encodeFunctionData({ abi, args: [idData, NO_LIMIT] });
    expect(textOf("morpho_v2", "Submit", { selector: data.slice(0, 10), data })).toContain(
      `An increase in the absolute cap for adapter ${ZERO} (unlimited) was submitted to`,
    );
  });
});

test.each([
  ["yearn_v3", "UpdateDepositLimit", "deposit_limit"],
  ["veda", "DepositCapSet", "cap"],
  ["lagoon", "MaxCapUpdated", "maxCap"],
  ["mellow_lrt", "LimitSet", "limit"],
] as const)("%s %s without a limit refuses no deposit", (adapter, name, member) => {
  const limited = textOf(adapter, name, { [member]: 5n });
  expect(limited).toContain("Deposits that would exceed the new cap fail.");
  const unlimited = textOf(adapter, name, {
    [member]: name === "DepositCapSet" ? 2n ** 112n - 1n : NO_LIMIT,
  });
  expect(unlimited).toContain("unlimited. The change took effect at");
  expect(unlimited).toContain("Deposits are no longer limited by this cap.");
});

test("HooksUpdated of Silo states no change, and that no function calls a hook receiver if both masks are 0", () => {
  const event = eventNamed("silo", "HooksUpdated");
  const hooks = (hooksBefore: number, hooksAfter: number) =>
    textOf("silo", "HooksUpdated", { hooksBefore, hooksAfter });
  for (const hooksBefore of [0, 6])
    expect(hooks(hooksBefore, 6)).toMatch(
      /^The hooks of Steady USDC were updated at .* from its hook receiver; the event does not show whether they/,
    );
  expect(hooks(0, 0)).toMatch(
    /^The hooks of .* were updated at .*: no function calls a hook receiver now\. No hook/,
  );
  const off = decodeEventArgs(event, logOf(event, { hooksBefore: 0, hooksAfter: 0 })) ?? {};
  expect(event.routine?.(off) ?? false).toBe(false);
});

test("the pause event of Upshift states whether withdrawals are paused, not when that changed", () => {
  const pause = (bWithdrawalsPaused: boolean) =>
    textOf("upshift", "DepositWithdrawalStatusChanged", { bDepositsPaused: true, bWithdrawalsPaused });
  expect(pause(true)).toMatch(
    /^Withdrawals from Steady USDC are paused and deposits are paused, as the contract reported at .*withdrawals paused\)$/,
  );
  expect(pause(false)).toMatch(
    /^Withdrawals from Steady USDC are not paused and deposits are paused, as .* If anything is or was paused.*deposits paused, withdrawals not paused\)$/,
  );
});

test("File of Centrifuge names the contract that the vault or its share token uses", () => {
  const what = stringToHex("manager", { size: 32 });
  expect(textOf("centrifuge", "File", { what, data: ZERO })).toMatch(
    /^The contract that Steady USDC uses as "manager" was removed at .*"manager" contract removed\)$/,
  );
  const unnamed = { what: `0x${"ff".repeat(32)}`, data: ZERO };
  expect(textOf("centrifuge", "File", unnamed)).toContain("A contract that Steady USDC uses was removed");
  const ofToken = governanceEventsOf("centrifuge").filter(
    ({ contract, signature }) => contract === "shareToken" && signature.startsWith("File("),
  );
  const [hook] = findingsOf("centrifuge", ofToken, { what: stringToHex("hook", { size: 32 }) });
  expect(hook?.title).toBe('Steady USDC: "hook" contract of the share token changed');
  expect(hook?.summary).toMatch(/^The contract that the share token of Steady USDC uses as "hook" is now 0x/);
  expect(hook?.summary).toContain("The hook decides who may deposit, redeem and transfer shares");
});

test.each([
  [1n, "1 share."],
  [2n, "2 shares."],
])("an amount of %s is %s", (whole, text) => {
  expect(textOf("midas", "SetMinAmount", { newAmount: whole * 10n ** 6n })).toContain(`is now ${text}`);
  const tokens = text.replace("share", "token");
  expect(textOf("midas", "ChangeTokenAllowance", { allowance: whole * 10n ** 18n })).toContain(
    `is now ${tokens}`,
  );
});

test.each([
  ["mellow", "SetQueueStatus", (on: boolean) => ({ isPaused: on })],
  ["mellow_lrt", "WithdrawalPauseSet", (on: boolean) => ({ paused: on })],
  ["ipor", "TargetClosed", (on: boolean) => ({ closed: on })],
] as const)("%s %s is high, its end medium", (adapter, name, given) => {
  const tierOf = (on: boolean) => findingsOf(adapter, [eventNamed(adapter, name)], given(on))[0]?.tier;
  expect([tierOf(true), tierOf(false)]).toEqual(["high", "medium"]);
});

test("a whitelist for redemptions is high while it applies", () => {
  const event = governanceEventsOf("midas").find(
    ({ contract, signature }) => contract === "redemptions" && signature.startsWith("SetGreenlistEnable("),
  );
  const tierOf = (enable: boolean) =>
    event === undefined ? null : findingsOf("midas", [event], { enable })[0]?.tier;
  expect([tierOf(true), tierOf(false)]).toEqual(["high", "medium"]);
});

test("a granted role is named by its whole id", () => {
  const role = `0x${"ab".repeat(32)}`;
  expect(textOf("mellow", "RoleGranted", { role })).toMatch(
    new RegExp(`^The access-control role ${role} of Steady USDC was granted to .*role granted\\)$`),
  );
  expect(textOf("mellow", "RoleGranted", { role: `0x${"0".repeat(64)}` })).toContain(
    "The admin role (DEFAULT_ADMIN_ROLE) of Steady USDC was granted to",
  );
});

test.each([
  ["mellow", "QueueRemoved"],
  ["midas", "RemovePaymentToken"],
])("%s %s, after which a way in or out is missing, is medium", (adapter, name) => {
  expect(findingsOf(adapter, [eventNamed(adapter, name)])[0]?.tier).toBe("medium");
});

test("a whitelist of Lagoon restricts withdrawals too, so it is high; a blacklist is medium", () => {
  const tierOf = (newMode: bigint) =>
    findingsOf("lagoon", [eventNamed("lagoon", "AccessModeUpdated")], { newMode })[0]?.tier;
  expect([tierOf(0n), tierOf(1n)]).toEqual(["medium", "high"]);
});

test("a super operator of Lagoon is high, and its removal low", () => {
  const event = eventNamed("lagoon", "SuperOperatorUpdated");
  const [set] = findingsOf("lagoon", [event], {
    oldSuperOperator: ZERO,
    newSuperOperator: `0x${"a1".repeat(20)}`,
  });
  const [removed] = findingsOf("lagoon", [event], { oldSuperOperator: ZERO, newSuperOperator: ZERO });
  expect([set?.tier, removed?.tier]).toEqual(["high", "low"]);
  expect(set?.summary).toContain("The super operator can move the shares of any holder");
});

test("the end of IPOR's market limits is medium", () => {
  const of = (name: string) => findingsOf("ipor", [eventNamed("ipor", name)])[0];
  expect([of("MarketsLimitsActivated")?.tier, of("MarketsLimitsDeactivated")?.tier]).toEqual([
    "low",
    "medium",
  ]);
  expect(of("MarketsLimitsDeactivated")?.summary).toMatch(
    /^The market limits of Steady USDC are now inactive\./,
  );
});
