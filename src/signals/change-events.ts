import { type Hex, padHex, toEventSelector, toHex } from "viem";
import type { ChainLog } from "../chains/logs.ts";

const selectors = (...events: string[]): readonly Hex[] => events.map((event) => toEventSelector(event));

/** Switches that are told by one event whichever way they go. */
const EITHER_WAY = [
  "DepositPauseSet(bool,uint256,address)",
  "DepositWithdrawalStatusChanged(bool,bool)",
  "SetQueueStatus(address,bool)",
  "SetFlags((bool,bool,bool,bool,bool,uint32))",
  "StateUpdated(uint8)",
  "GovSetHookConfig(address,uint32)",
  "AssetDataUpdated(address,bool,bool,uint16)",
];
/** Lagoon's, of two rates and, since its version 0.6, of five. */
const RATES = [
  "RatesUpdated((uint16,uint16),(uint16,uint16),uint256)",
  "RatesUpdated((uint16,uint16,uint16,uint16,uint16),(uint16,uint16,uint16,uint16,uint16),uint256)",
];

/**
 * First topics of the events behind a change, by what changed; of several in its blocks the last that tells it counts.
 * Sources: morpho-org/metamorpho, morpho-org/vault-v2, OpenZeppelin and Solmate (as Veda), IPOR Fusion, Lagoon, Midas,
 * Mellow, Euler, Upshift.
 */
const TOPICS: Readonly<Record<string, readonly Hex[]>> = {
  owner: selectors("OwnershipTransferred(address,address)", "SetOwner(address)"),
  curator: selectors("SetCurator(address)"),
  guardian: selectors("SetGuardian(address,address)"),
  fee: selectors("SetFee(address,uint256)"),
  timelock: selectors("SetTimelock(address,uint256)"),
  performance_fee: selectors(
    "SetPerformanceFee(uint256)",
    "PerformanceFeeDataConfigured(address,uint256)",
    ...RATES,
  ),
  management_fee: selectors(
    "SetManagementFee(uint256)",
    "ManagementFeeDataConfigured(address,uint256)",
    ...RATES,
  ),
  paused: selectors("Paused(address)", "Paused()", "PauseFn(address,bytes4)", ...EITHER_WAY),
  unpaused: selectors("Unpaused(address)", "Unpaused()", "UnpauseFn(address,bytes4)", ...EITHER_WAY),
};

/** Topics of the events that a change may have emitted; none: nobody knows of any. */
export const topicsOf = (changed: string): readonly Hex[] => TOPICS[changed] ?? [];

/** Whether an event tells a value (an address or a decimal number) in any of its members; null asks for none. */
export function tells(log: Pick<ChainLog, "topics" | "data">, value: string | null): boolean {
  if (value === null) return true;
  const word = value.startsWith("0x")
    ? padHex(value as Hex, { size: 32 })
    : toHex(BigInt(value), { size: 32 });
  const words = [
    ...log.topics.slice(1),
    ...(log.data.slice(2).match(/.{64}/g) ?? []).map((part) => `0x${part}`),
  ];
  return words.includes(word.toLowerCase());
}
