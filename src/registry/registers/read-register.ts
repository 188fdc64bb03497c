import { type Address, decodeEventLog, getAddress, type Hex, toEventSelector } from "viem";
import { runWholeQuery } from "../../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../../chains/chain-client.ts";
import { createQuery, mapQuery, type Query, queryAll, read, valueOrNull } from "../../chains/chain-reads.ts";
import { searchLogs } from "../../chains/log-reader.ts";
import { requireBlock } from "../../chains/require-node-at-block.ts";
import { failure } from "../../errors.ts";
import type { BlockRange } from "../../lib/block-ranges.ts";
import { readRegisterList } from "./read-register-list.ts";
import { findFirstBlock } from "./register-first-block.ts";
import { registerAbi, type VaultRegister } from "./vault-registers.ts";

/** The vaults that one read of a register found, each once and checksummed. */
export interface RegisterVaults {
  vaults: readonly Address[];
  /**
   * True if `vaults` is all that the register's view functions list, so that it no longer names any other. False if a
   * part of the list could not be read, for a register that is read from events, even if all of its blocks were read,
   * and for one that is only asked.
   */
  complete: boolean;
  /**
   * Last block whose events have been read or need not be (-1: none), or null for a register that is read by a view
   * function. Unchanged for one that is only asked.
   */
  readTo: number | null;
  /** True if blocks up to the requested one remain to be read. */
  behind: boolean;
  /** Older blocks whose events are left out for good, because nodes return too few blocks per request; absent if none. */
  skipped?: BlockRange;
}

/** Maximum number of log requests for one register in one read. */
const MAX_LOG_REQUESTS = 12;
/**
 * Maximum number of blocks in one log request; nodes' known limits still apply. A register has few events, so that only
 * such limits and slow nodes require less.
 */
const MAX_LOG_BLOCKS = 50_000;
/** Number of newest log requests within which events are read where the chain's nodes return few blocks per request. */
const RECENT_REQUESTS = 1_000;
/** Maximum number of vaults in one list; a longer list is rejected as implausible. */
const MAX_LISTED = 5_000;

/**
 * Reads the vaults of a register: all that its view function lists (at most 5,000); or those that its events after
 * block `readTo` (null: all) up to `head` name, as far as twelve log requests reach, and its membership view, if any,
 * confirms; none of one that is only asked. Of events since an unknown block, the first read only finds that block, so
 * that it need not be found again if the events cannot be read. `maxBlocks` limits the blocks of one log request (default
 * 50,000). With `maxLogBlocks` of the chain, only the events of the last 1,000 log requests are read. Throws
 * `upstream_rejected` if its contract does not respond as expected, the errors of `findFirstBlock`, and errors of the
 * chain client.
 */
export async function readRegister(
  client: ChainClient,
  of: { register: VaultRegister; readTo: number | null; head: number; maxBlocks?: number },
): Promise<RegisterVaults> {
  const { register } = of;
  if (register.reading.kind === "list") {
    const list = await readRegisterList(client, { register, view: register.reading.view });
    if (list === null || list.vaults.length > MAX_LISTED)
      throw failure("upstream_rejected", "the contract does not answer as this register");
    return { vaults: distinct(list.vaults), complete: list.complete, readTo: null, behind: false };
  }
  if (register.reading.kind === "asked")
    return { vaults: [], complete: false, readTo: of.readTo, behind: false };
  const { vaults, readTo, ...rest } = await readEvents(client, { ...of, reading: register.reading });
  // A node may invent events. One that is behind them denies the vaults that they name.
  const query = membershipQuery(register, vaults);
  const named = vaults.length === 0 ? [] : await runWholeQuery(requireBlock(client, readTo), query);
  return {
    vaults: vaults.filter((_, index) => named[index]),
    complete: false,
    readTo,
    behind: readTo < of.head,
    ...rest,
  };
}

const distinct = (addresses: readonly Address[]): Address[] => [
  ...new Set(addresses.map((address) => getAddress(address))),
];

/**
 * Returns a query for whether a register contains each of the given vaults, in their order. A failed read counts as
 * false. If the register has no membership view, the result is true for every vault.
 */
export function membershipQuery(
  { address, membership }: VaultRegister,
  vaults: readonly Address[],
): Query<boolean[]> {
  if (membership === null) return createQuery({}, () => vaults.map(() => true));
  const reads = Object.fromEntries(
    vaults.map((vault) => [
      vault,
      read({ to: address, abi: registerAbi(), name: membership, args: [vault] }),
    ]),
  );
  return createQuery(reads, (results) =>
    vaults.map((vault) => {
      const result = results[vault];
      return result !== undefined && valueOrNull(result) === true;
    }),
  );
}

async function readEvents(
  client: ChainClient,
  of: {
    register: VaultRegister;
    reading: Extract<VaultRegister["reading"], { kind: "events" }>;
    readTo: number | null;
    head: number;
    maxBlocks?: number;
  },
): Promise<{ vaults: Address[]; readTo: number; skipped?: BlockRange }> {
  const { register, reading, head, maxBlocks = MAX_LOG_BLOCKS } = of;
  const { maxLogBlocks = null } = client.definition;
  if (of.readTo === null && reading.from === null && maxLogBlocks === null)
    return { vaults: [], readTo: (await findFirstBlock(client, of)) - 1 };
  const next = of.readTo === null ? (reading.from ?? 0) : of.readTo + 1;
  const recent = maxLogBlocks === null ? 0 : head + 1 - RECENT_REQUESTS * maxLogBlocks;
  const from = Math.max(next, recent);
  if (from > head) return { vaults: [], readTo: of.readTo ?? head };
  const event = reading.event();
  // A node finds no events in blocks that it does not know.
  const { logs, read: range } = await searchLogs(requireBlock(client, head), {
    range: { from, to: head },
    filters: [{ addresses: [register.address.toLowerCase()], topics: [[toEventSelector(event)]] }],
    maxRequests: MAX_LOG_REQUESTS,
    maxBlocks: Math.min(maxBlocks, maxLogBlocks ?? maxBlocks),
  });
  const vaults = logs.flatMap(({ topics, data }) => {
    const args = argumentsOf({ abi: [event], topics, data });
    return reading.vaults.flatMap((name) => addressIn(args, name));
  });
  const skipped = from > next ? { skipped: { from: next, to: from - 1 } } : {};
  return { vaults: distinct(vaults), readTo: range?.to ?? from - 1, ...skipped };
}

function argumentsOf(log: {
  abi: readonly unknown[];
  topics: readonly string[];
  data: string;
}): Readonly<Record<string, unknown>> {
  try {
    const decoded = decodeEventLog(log as Parameters<typeof decodeEventLog>[0]);
    return (decoded.args ?? {}) as unknown as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

const addressIn = (args: Readonly<Record<string, unknown>>, name: string): Hex[] => {
  const value = args[name];
  return typeof value === "string" ? [value as Hex] : [];
};

/**
 * Returns a query for those of the given registers whose membership view returns false for a vault. Registers without
 * such a view, and those whose read fails, are omitted.
 */
export function deniedQuery(registers: readonly VaultRegister[], vault: Address): Query<VaultRegister[]> {
  const asked = registers.flatMap((register) =>
    register.membership === null ? [] : [{ register, name: register.membership }],
  );
  const reads = Object.fromEntries(
    asked.map(({ register, name }) => [
      register.address,
      read({ to: register.address, abi: registerAbi(), name, args: [vault] }),
    ]),
  );
  return createQuery(reads, (results) =>
    asked.flatMap(({ register }) => {
      const result = results[register.address];
      return result?.ok === true && result.value === false ? [register] : [];
    }),
  );
}

/**
 * Returns a query for the factories that confirm that they created a vault, or of whose original it is a clone. `code`
 * identifies the vault's code, as `readVaultCode` returns it. Factories without a view for that, and those whose read
 * fails, are omitted.
 */
export function creatorsQuery(
  factories: readonly VaultRegister[],
  { vault, code }: { vault: Address; code: string },
): Query<VaultRegister[]> {
  return mapQuery(
    queryAll(
      Object.fromEntries(
        factories.map((register) => [register.address, createdQuery(register, { vault, code })]),
      ),
    ),
    (created) => factories.filter(({ address }) => created[address] === true),
  );
}

function createdQuery(
  { address: to, membership, reading }: VaultRegister,
  { vault, code }: { vault: Address; code: string },
): Query<boolean> {
  const abi = registerAbi();
  const name = reading.kind === "asked" ? reading.view : membership;
  if (name === null) return createQuery({}, () => false);
  if (name === "vault_original")
    return createQuery(
      { original: read({ to, abi, name }) },
      ({ original }) =>
        // A clone with a constant target runs nothing but the original.
        original.ok && code === `clone:${getAddress(original.value)}`,
    );
  return createQuery(
    { made: read({ to, abi, name, args: [vault] }) },
    ({ made }) => valueOrNull(made) === true,
  );
}
