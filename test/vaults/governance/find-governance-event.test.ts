import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  parseAbiItem,
  parseAbiParameters,
  toFunctionSelector,
} from "viem";
import { describe, expect, test } from "vitest";
import { vaultRow } from "../../../scripts/bench/vault-row.ts";
import { families } from "../../../src/vaults/families/vault-families.ts";
import {
  decodeEventArgs,
  eventTopic,
  findGovernanceEvent,
  governanceEventsOf,
} from "../../../src/vaults/governance/find-governance-event.ts";
import { governanceContractsOf } from "../../../src/vaults/governance/governance-event.ts";
import { toVault } from "../../../src/vaults/vault.ts";
import { eventNamed, findingsOf, textOf } from "../../support/signals/governance-findings.ts";
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
      const [one, ...others] = findingsOf(adapter, [event]);
      expect(others).toEqual([]);
      expect(one).toMatchObject({
        rule: event.stage === "done" ? "setting_changed" : "change_announced",
        tier: event.tier,
        txHash: "0x00",
        keys: ["0x00:1"],
      });
      const texts = `${one?.title} ${one?.summary} ${one?.evidence["description"]}`;
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

test("a change of a diamond's functions has the topic of EIP-2535", () => {
  const topic = "0x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673";
  expect(eventTopic(eventNamed("erc4626", "DiamondCut"))).toBe(topic);
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
  for (const newHookedOps of [0, 1, 13, 16, 64, 1 << 14])
    expect(seen("euler", "GovSetHookConfig", { newHookTarget: at("0"), newHookedOps })).toBe(false);
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
  const summaryOf = (roleId: bigint) => textOf("ipor", "RoleGranted", { roleId });
  expect(summaryOf(100n)).toMatch(
    /^The role "atomist" \(manages the vault's settings\) of Steady USDC was granted to 0x0/,
  );
  expect(summaryOf(9n)).toMatch(/^Role 9 of Steady USDC was granted to /);
});

const fail = (): never => {
  throw new Error("there is none");
};

test("several events of a kind become one signal with the latest value and their number", () => {
  const fee = governanceEventsOf("veda").filter(({ signature }) =>
    signature.startsWith("PlatformFeeUpdated"),
  );
  const [one] = findingsOf("veda", [...fee, ...fee, ...fee]);
  expect(one).toMatchObject({ keys: ["0x00:1", "0x01:1", "0x02:1"], txHash: "0x02", blockNumber: 102 });
  expect(one?.title).toBe("Steady USDC: management fee increased");
  expect(one?.summary).toBe(
    "The management fee (platform fee) of Steady USDC changed from 1% to 1.01% a year. The change took effect at " +
      "2027-01-15 07:50 UTC. 2 more events of this kind were recorded within a day. Fees reduce what holders earn: compare the net yield with that of " +
      "other vaults.",
  );
});

test("a timelocked submission names its setting and the earliest execution time", () => {
  // setPerformanceFee(uint256)
  const fee = { selector: "0x70897b23", executableAt: 1_800_000_000n };
  expect(textOf("morpho_v2", "Submit", fee)).toBe(
    "A change to the performance fee was submitted to the timelock of Steady USDC at 2027-01-15 07:50 UTC. It cannot be " +
      "executed before 2027-01-15 08:00 UTC. Find out what the call changes, and decide whether to withdraw first. " +
      "(Steady USDC: change to the performance fee submitted)",
  );
  expect(textOf("morpho_v2", "Submit", { executableAt: 1n })).toContain(
    "It can be executed immediately. There is no time to withdraw first: find out what the call changes.",
  );
  expect(textOf("morpho_v2", "Submit", { executableAt: 2n ** 256n - 1n })).toContain("never");
});

test("texts say the direction of a change", () => {
  expect(textOf("mellow_lrt", "WithdrawalPauseSet", { paused: false })).toContain("withdrawals resumed");
  expect(textOf("ipor", "TargetClosed", { closed: false })).toContain("contract reopened");
  expect(textOf("morpho_v2", "SetIsSentinel", { newIsSentinel: false })).toContain("sentinel removed");
  expect(textOf("morpho_v2", "SetSendAssetsGate", { newSendAssetsGate: at("0") })).toContain("removed)");
  expect(textOf("erc4626", "OwnershipTransferStarted", { newOwner: at("0") })).toContain("cancelled");
  expect(textOf("yearn_v3", "RoleSet", { role: 8193n })).toContain("add strategies, shut the vault down.");
  expect(textOf("yearn_v3", "RoleSet", { role: 0n })).toContain("no longer has any role in Steady USDC.");
  expect(textOf("lagoon", "GuardrailsStatusUpdated", { activated: false })).toContain("guardrail disabled");
  expect(textOf("veda", "AssetDataUpdated", { allowDeposits: false })).toContain(", but no deposits of it.");
});

test("a guardrail states its bounds before and after", () => {
  const rails = (lowerRate: bigint, upperRate: bigint) => ({ upperRate, lowerRate });
  const [narrow, wide] = [rails(-5n * 10n ** 16n, 15n * 10n ** 16n), rails(0n, 2n ** 256n - 1n)];
  expect(textOf("lagoon", "GuardrailsUpdated", { oldGuardrails: narrow, newGuardrails: wide })).toMatch(
    /^The bounds of the share price guardrail of Steady USDC are now 0% to ∞ a year; before, they were -5% to 15%\. The change .* \(Steady USDC: share price guardrail changed\)$/,
  );
});

/** Calldata of a timelocked function of Morpho Vault V2, as `Submit` and `Revoke` contain it. */
function callOf(signature: string, args: readonly unknown[]) {
  const abi: Abi = [parseAbiItem(`function ${signature}` as "function known(uint256)")];
  return { selector: toFunctionSelector(signature), data: encodeFunctionData({ abi, args }) };
}

test.each([
  ["setPerformanceFee(uint256)", [15n * 10n ** 16n], "A change to the performance fee (to 15%) "],
  ["setManagementFee(uint256)", [317_097_919n], "A change to the management fee (to 1% a year) "],
  [
    "setReceiveAssetsGate(address)",
    [at("0")],
    "A change to the receive assets gate (who may receive withdrawals), which removes it, ",
  ],
  [
    "setReceiveAssetsGate(address)",
    [at("a1")],
    `A change to the receive assets gate (who may receive withdrawals), to ${getAddress(at("a1"))}, `,
  ],
  ["setIsAllocator(address,bool)", [at("a1"), false], `(${getAddress(at("a1"))} is removed) `],
  ["addAdapter(address)", [at("a1")], `An adapter addition (${getAddress(at("a1"))}) `],
  [
    "decreaseTimelock(bytes4,uint256)",
    ["0x70897b23", 172_800n],
    "A timelock reduction for a change to the performance fee, to 2 days, ",
  ],
  [
    "abdicate(bytes4)",
    ["0x70897b23"],
    "A permanent deactivation (abdication) of a function for a change to the performance fee ",
  ],
  [
    "increaseAbsoluteCap(bytes,uint256)",
    [encodeAbiParameters(parseAbiParameters("string, address"), ["this", at("ad")]), 5_000_000n],
    `An increase in the absolute cap for adapter ${getAddress(at("ad"))} (to 5 USDC) `,
  ],
  ["increaseRelativeCap(bytes,uint256)", ["0x12", 10n ** 17n], " (to 10% of total assets) "],
  [
    "setForceDeallocatePenalty(address,uint256)",
    [at("a1"), 10n ** 16n],
    `A change to the force deallocate penalty of adapter ${getAddress(at("a1"))} (to 1%) `,
  ],
])("a submission and its cancellation name the arguments of %s", (signature, args, expected) => {
  const given = callOf(signature, args);
  expect(textOf("morpho_v2", "Submit", given)).toContain(expected);
  expect(textOf("morpho_v2", "Revoke", given)).toContain(expected);
});

test.each([
  ["yearn_v3", "UpdateFutureRoleManager", "low", "pending role manager transfer cancelled"],
  ["yearn_v3", "UpdatePendingManagement", "low", "pending management transfer cancelled"],
  [
    "yearn_v3",
    "UpdateEmergencyAdmin",
    "medium",
    "No emergency admin can shut the vault down or pause it any more.",
  ],
  [
    "yearn_v3",
    "UpdateAccountant",
    "low",
    "Without an accountant, no fees are charged when strategies report profits.",
  ],
  ["yearn_v3", "UpdateDepositLimitModule", "low", "The vault's own deposit limit applies again."],
  ["yearn_v3", "UpdateWithdrawLimitModule", "low", "Withdrawals are no longer limited by a module."],
  [
    "morpho_v2",
    "SetReceiveSharesGate",
    "low",
    "This gate no longer applies; other gates may still restrict deposits and transfers.",
  ],
  [
    "morpho_v2",
    "SetSendSharesGate",
    "low",
    "This gate no longer applies; other gates may still restrict transfers and withdrawals.",
  ],
  [
    "morpho_v2",
    "SetReceiveAssetsGate",
    "low",
    "This gate no longer applies; other gates may still restrict withdrawals.",
  ],
  [
    "morpho_v2",
    "SetSendAssetsGate",
    "low",
    "This gate no longer applies; other gates may still restrict deposits.",
  ],
  [
    "metamorpho",
    "SubmitGuardian",
    "medium",
    "Once the removal takes effect, no guardian can veto pending changes.",
  ],
  [
    "veda",
    "AuthorityUpdated",
    "medium",
    "Only the owner can now call restricted functions: check whether deposits, withdrawals and price updates still work.",
  ],
  [
    "upshift",
    "SendersWhitelistUpdated",
    "medium",
    "whether every account can deposit now, or whether deposits are closed.",
  ],
  [
    "lagoon",
    "ValuationManagerUpdated",
    "medium",
    "Only the security council, if any, can still report values",
  ],
  ["lagoon", "SecurityCouncilUpdated", "medium", "security council removed"],
  ["euler", "GovSetHookConfig", "high", "withdrawals disabled"],
  ["erc4626", "SetUpgradeAdmin", "high", "can no longer be replaced through the beacon."],
  ["erc4626", "AdminChanged", "high", "proxy admin removed"],
])("%s says what %s with the zero address means", (adapter, name, tier, expected) => {
  const event = eventNamed(adapter, name);
  const addresses = [...event.signature.matchAll(/address (?:indexed )?(\w+)/g)].map(([, member]) => member);
  const zero = Object.fromEntries(addresses.map((member) => [member, at("0")]));
  const [finding] = findingsOf(adapter, [event], { ...zero, newHookedOps: 12 });
  const text = `${finding?.title} ${finding?.summary}`;
  expect(text).toContain(expected);
  expect(text).not.toMatch(/0x0{40}|\(the zero address\).*find out who it is/);
  expect(finding?.tier).toBe(tier);
});

test("texts name only what applies to the values of an event", () => {
  const hook = (newHookedOps: number) =>
    textOf("euler", "GovSetHookConfig", { newHookTarget: at("0"), newHookedOps });
  expect(hook(16)).toMatch(/^Share transfers of .* are disabled .*every such call reverts\. Shares stay/);
  expect(hook(4)).toMatch(/^Withdrawals \(withdraw\) from Steady USDC are disabled/);
  expect(hook(8)).toMatch(/^Redemptions \(redeem\) from Steady USDC are disabled/);
  expect(hook(12)).toMatch(/^Withdrawals and redemptions from Steady USDC are disabled/);
  expect(hook(1 << 14)).toContain("All operations of Steady USDC that change balances are disabled");
  const closed = textOf("veda", "AssetDataUpdated", { allowDeposits: false, allowWithdraws: false });
  expect(closed).toContain("asset no longer accepted");
  expect(closed).not.toContain("premium");
  expect(textOf("veda", "AssetDataUpdated", { allowDeposits: true, sharePremium: 0 })).not.toContain("0%");
  expect(textOf("veda", "AssetDataUpdated", { allowDeposits: true, sharePremium: 25 })).toMatch(
    /now accepts deposits of and withdrawals in 0x\w{40}, with a share premium of 0\.25%\. The change.*only solvers/,
  );
  expect(textOf("veda", "UpperBoundUpdated", { oldBound: 10_100, newBound: 10_200 })).toContain(
    "The upper bound on price updates of Steady USDC changed from 101% to 102% of the previous price.",
  );
  expect(textOf("mellow", "SyncDepositParamsSet", { penaltyD6: 0n, maxAge: 86_400 })).toContain(
    "now incur no penalty and fail if",
  );
  expect(textOf("lagoon", "StateUpdated", { state: 2 })).toContain("shares can be redeemed instantly");
  expect(textOf("midas", "ChangeTokenAllowance", { allowance: 2n ** 256n - 1n })).toContain(
    "is now unlimited. The change took effect at 2027-01-15 07:50 UTC. Deposits of this token are not limited",
  );
  expect(textOf("mellow", "SyncDepositParamsSet", { penaltyD6: 1_000n, maxAge: 86_400 })).toContain(
    "now incur a penalty of 0.1% and fail if the price is older than 24 hours.",
  );
  expect(textOf("ipor", "TargetFunctionRoleUpdated", { roleId: 2n ** 64n - 1n })).toMatch(
    /^Function 0x.* now requires no role\./,
  );
  expect(textOf("yearn_v3", "RoleSet", { role: 2n ** 200n })).toContain("unknown permissions (");
});

test("texts show amounts in whole tokens", () => {
  expect(textOf("metamorpho", "SetCap", { cap: 1_234_500_000n })).toContain(" is now 1,234.5 USDC.");
  expect(textOf("mellow_lrt", "LimitSet", { limit: 2n ** 256n - 1n })).toContain(" is now unlimited.");
  // 6400 is 100 with two decimals, times 10^10 in the smallest unit.
  expect(textOf("euler", "GovSetCaps", { newSupplyCap: 6410, newBorrowCap: 0 })).toContain(
    "is now 10,000 USDC and its borrow cap unlimited.",
  );
  expect(textOf("euler", "GovSetCaps", { newSupplyCap: 0, newBorrowCap: 0 })).toContain(
    "Neither deposits nor loans are capped now.",
  );
  expect(textOf("upshift_legacy", "OnEmergencyWithdraw", { withdrawalAmount: 5_000_000n })).toContain(
    "moved 5000000 base units of token 0x",
  );
  expect(textOf("midas", "ChangeTokenAllowance", { allowance: 1_500n * 10n ** 18n })).toContain(
    "1,500 tokens",
  );
});
