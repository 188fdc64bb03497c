import { encodeFunctionData, parseAbi } from "viem";
import { expect, test } from "vitest";
import { signalRules } from "../../../src/signals/list-signal-rules.ts";
import type { GovernanceChange } from "../../../src/signals/signal-facts.ts";
import { decodeEventArgs } from "../../../src/vaults/governance/find-governance-event.ts";
import { factsOf, NOW } from "../../support/signals/facts.ts";
import { eventNamed } from "../../support/signals/governance-findings.ts";
import { logOf } from "../../support/vaults/governance-logs.ts";

/** Returns the findings about events of one name with these arguments, each a minute after the one before. */
function findingsAbout(adapter: string, name: string, several: readonly Record<string, unknown>[]) {
  const event = eventNamed(adapter, name);
  const governanceChanges = several.map(
    (given, index): GovernanceChange => ({
      key: `0x${index}:1`,
      txHash: `0x${index}`,
      blockNumber: 100 + index,
      seconds: NOW - 6_000 + index * 60,
      event,
      args: decodeEventArgs(event, logOf(event, given)),
    }),
  );
  return signalRules.flatMap((rule) => rule.find({ ...factsOf(), adapter, governanceChanges }, NOW));
}
const accountOf = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;

test("a pause and its end are two findings, each with its own tier", () => {
  const queue = accountOf(7);
  const found = findingsAbout("mellow", "SetQueueStatus", [
    { queue, isPaused: true },
    { queue, isPaused: false },
  ]);
  expect(found.map(({ tier, title, txHash }) => [tier, title, txHash])).toEqual([
    ["high", "Steady USDC: queue paused", "0x0"],
    ["medium", "Steady USDC: queue resumed", "0x1"],
  ]);
  expect(new Set(found.map(({ subject }) => subject)).size).toBe(2);
});

test("calls submitted to a timelock are told apart by their function, caps of several markets are not", () => {
  const abi = parseAbi([
    "function increaseAbsoluteCap(bytes idData, uint256 cap)",
    "function setSendSharesGate(address gate)",
    "function setIsAllocator(address account, bool isAllocator)",
  ]);
  const submit = (data: string) => ({ selector: data.slice(0, 10), data });
  const cap = (text: `0x${string}`) =>
    submit(encodeFunctionData({ abi, functionName: "increaseAbsoluteCap", args: [text, 5n] }));
  const allocator = (number: number) =>
    submit(
      encodeFunctionData({
        abi,
        functionName: "setIsAllocator",
        args: [accountOf(number) as `0x${string}`, true],
      }),
    );
  const gate = submit(
    encodeFunctionData({ abi, functionName: "setSendSharesGate", args: [accountOf(9) as `0x${string}`] }),
  );
  const found = findingsAbout("morpho_v2", "Submit", [
    gate,
    allocator(1),
    allocator(2),
    cap(`0x${"aa".repeat(96)}`),
    cap(`0x${"bb".repeat(96)}`),
  ]);
  expect(found).toHaveLength(4);
  expect(found[0]?.summary).toContain("gate");
  expect(found.map(({ summary }) => /\d more events?/.exec(summary)?.[0] ?? "")).toEqual([
    ...["", "", ""],
    "1 more event",
  ]);
});

test.each([
  ["ipor", "RoleGranted", (number: number) => ({ roleId: 1n, account: accountOf(number), newMember: true })],
  ["yearn_v3", "RoleSet", (number: number) => ({ account: accountOf(number) })],
  ["ipor", "TargetFunctionRoleUpdated", (number: number) => ({ selector: `0x0000000${number}` })],
] as const)("%s %s about two accounts or functions is two findings", (adapter, name, given) => {
  const found = findingsAbout(adapter, name, [given(1), given(2), given(1)]);
  expect(found.map(({ keys }) => keys)).toEqual([["0x0:1", "0x2:1"], ["0x1:1"]]);
});

test("changes of a value are one finding about the last, which keeps its subject", () => {
  const found = findingsAbout("midas", "SetInstantFee", [{ newFee: 10n }, { newFee: 20n }, { newFee: 30n }]);
  expect(found).toMatchObject([{ subject: "entryPoint SetInstantFee", txHash: "0x2" }]);
  expect(found[0]?.summary).toContain("is now 0.3%.");
  expect(found[0]?.summary).toContain("2 more events of this kind were recorded within a day.");
});

test("a contract that emits any number of different events fills eleven findings, the most severe first", () => {
  const queues = Array.from({ length: 30 }, (_, number) => ({
    queue: accountOf(number),
    isPaused: number === 25,
  }));
  const found = findingsAbout("mellow", "SetQueueStatus", queues);
  expect(found).toHaveLength(11);
  expect(found.map(({ tier }) => tier).filter((tier) => tier === "high")).toHaveLength(1);
  expect(found.at(-1)).toMatchObject({ subject: "address SetQueueStatus others", tier: "medium" });
  expect(found.at(-1)?.summary).toContain("19 more events of this kind");
  expect(found.at(-1)?.keys).toHaveLength(20);
  const more = findingsAbout("mellow", "SetQueueStatus", [
    ...queues,
    { queue: accountOf(40), isPaused: true },
  ]);
  expect(more.filter(({ tier }) => tier === "high")).toHaveLength(2);
});

test("what the group of all others shows has the tier of its title", () => {
  const queues = Array.from({ length: 12 }, (_, number) => ({ queue: accountOf(number), isPaused: true }));
  const found = findingsAbout("mellow", "SetQueueStatus", [
    ...queues,
    { queue: accountOf(20), isPaused: false },
    { queue: accountOf(21), isPaused: false },
  ]);
  expect(found.at(-1)).toMatchObject({ tier: "high", title: "Steady USDC: queue paused", txHash: "0x11" });
  expect(found.at(-1)?.seconds).toBe(NOW - 6_000 + 13 * 60);
});
