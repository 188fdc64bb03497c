import { zeroAddress } from "viem";
import * as z from "zod";
import { readHeadNumber } from "../chains/read-block.ts";
import type { DiscoverySetting } from "../config/discovery-setting.ts";
import type { Context } from "../context.ts";
import type { NewVault } from "../db/queries/vault-queries.ts";
import {
  type RegisterTip,
  selectRegisterTips,
  writeRegisterReport,
} from "../db/queries/vault-register-queries.ts";
import { failure } from "../errors.ts";
import { mapConcurrently } from "../lib/concurrency.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { findFamily } from "../vaults/families/vault-families.ts";
import { type RegisterVaults, readRegister } from "./registers/read-register.ts";
import { registerOf, type VaultRegister, vaultRegisters } from "./registers/vault-registers.ts";

/**
 * Counts from one vault discovery run. A register is a contract that names a protocol's vaults: a factory, or a list
 * that the protocol maintains.
 */
export interface DiscoveryReport {
  /** Registers that were due and were tried, including those that failed. */
  registers: number;
  /** Registers that could not be read, or whose vaults could not be stored. */
  failed: number;
  /** Vaults named by the registers in the data that was read, known ones included. */
  named: number;
  /** Registers of whose events older blocks were left out, because the chain's nodes return too few per request. */
  skipped: number;
  /** Chains for which a queue message was sent instead; nothing of them is in the other counts. */
  queued: number;
}

/** Schema of the queue message that requests a read of one chain's due registers. */
export const RegisterMessage = z.object({ kind: z.literal("registers"), chain_id: z.int().positive() });
/** Queue message that requests a read of one chain's due registers. */
export type RegisterMessage = z.infer<typeof RegisterMessage>;

/**
 * Time until the next read of a register, in milliseconds: of a whole list; of events, with blocks left to read
 * (`behind`, also if a later read failed) or none (`events`), the latter also of a list with a part missing; after a
 * failure.
 */
const DUE_MS = { list: DAY_MS, behind: MINUTE_MS, events: HOUR_MS, failed: HOUR_MS } as const;
/** Time after which a run starts no further read, in milliseconds. */
const RUN_MS = 60 * SECOND_MS;
/**
 * Number of requests after which a run starts no further read. A search for a first block makes up to a hundred, and a
 * list of curators one for each of them, so a run stays within the platform's limit of subrequests (wrangler.toml).
 */
const MAX_REQUESTS = 300;
/** The same where the chain's nodes return few blocks per log request, because they also limit the requests per minute. */
const FEW_REQUESTS = 75;
/** Number of blocks in one log request for a register whose last read failed: wide requests may take a node too long. */
const BLOCKS_AFTER_FAILURE = 2_000;
/** Number of blocks below the head that a read leaves to the next one, because a reorg may replace them. */
const UNSETTLED_BLOCKS = 64;

/**
 * Returns the registers of the served chains: those in code and, for chains without any in code, the configured ones.
 * One without `view` is read like the first of its family in code, and left out if there is none.
 */
export function servedRegisters(ctx: Context): VaultRegister[] {
  const known = new Set(vaultRegisters.map(({ chainId }) => chainId));
  const configured = ctx.config.discovery.registers
    .filter(({ chain_id: chainId }) => !known.has(chainId))
    .flatMap(configuredRegister);
  return [...vaultRegisters, ...configured].filter(({ chainId }) => ctx.chains.definitions.has(chainId));
}

/** Converts a register of the configuration. A register of an unknown family without a view function is ignored. */
function configuredRegister(setting: DiscoverySetting["registers"][number]): VaultRegister[] {
  const { chain_id: chainId, address, adapter, protocol, openness, view } = setting;
  const named = { chainId, address, adapter, protocol, openness };
  if (view === "isProxy" || view === "isVault" || view === "vault_original")
    return [{ ...named, membership: null, isFactory: true, reading: { kind: "asked", view } }];
  if (view !== undefined)
    return [{ ...named, membership: null, isFactory: false, reading: { kind: "list", view } }];
  const known = registerOf(adapter);
  if (known === null) return [];
  const { membership, isFactory, createsFixedCode, reading } = known;
  const events = "kind" in reading ? reading : ({ ...reading, kind: "events", from: null } as const);
  const fixed = createsFixedCode === true ? { createsFixedCode } : {};
  return [{ ...named, membership, isFactory, ...fixed, reading: events }];
}

/** A run: what it reports, when it ends, and the registers of the chains that it reads with their stored progress. */
interface DiscoveryRun {
  report: DiscoveryReport;
  startedAt: number;
  due: readonly { register: VaultRegister; tip: RegisterTip | null }[];
}

/**
 * Reads the registers that are due within the limits of a run, several chains in parallel, and stores the vaults that
 * they name, new ones as candidates; or queues a message per chain if a queue is configured. A register that cannot be
 * read is logged and due again in an hour, or in a minute if its events were read before. Throws `store_unavailable`
 * and errors of the queue.
 */
export async function discoverVaults(ctx: Context): Promise<DiscoveryReport> {
  const run = await startRun(ctx, servedRegisters(ctx));
  const chainIds = [...new Set(run.due.map(({ register }) => register.chainId))];
  const queue = ctx.config.followingQueue;
  if (queue !== null) {
    const messages = chainIds.map((chain_id) => ({
      body: { kind: "registers", chain_id } satisfies RegisterMessage,
    }));
    if (messages.length > 0) await queue.sendBatch(messages);
    return { ...run.report, queued: messages.length };
  }
  await mapConcurrently(chainIds, {
    doubtful: (chainId) =>
      run.due.some(({ register, tip }) => register.chainId === chainId && tip?.error != null),
    work: (chainId) => readChain(ctx, { chainId, run }),
  });
  return run.report;
}

/**
 * Handles a queue message: reads the due registers of one chain within the limits of a run. Reports zeros while another
 * run holds the chain's lock. Throws `store_unavailable`.
 */
export async function discoverFromMessage(ctx: Context, message: RegisterMessage): Promise<DiscoveryReport> {
  const { chain_id: chainId } = message;
  const work = async (): Promise<DiscoveryReport> => {
    const own = servedRegisters(ctx).filter((register) => register.chainId === chainId);
    const run = await startRun(ctx, own);
    await readChain(ctx, { chainId, run });
    return run.report;
  };
  return (await ctx.withLock({ key: `registers:${chainId}`, work })) ?? noDiscoveries();
}

const noDiscoveries = (): DiscoveryReport => ({
  ...{ registers: 0, failed: 0, named: 0, skipped: 0, queued: 0 },
});

async function startRun(ctx: Context, served: readonly VaultRegister[]): Promise<DiscoveryRun> {
  const startedAt = ctx.now();
  const registers = served.filter(({ reading }) => reading.kind !== "asked");
  const chainIds = [...new Set(registers.map(({ chainId }) => chainId))];
  const tips = new Map((await selectRegisterTips(ctx.db, chainIds)).map((tip) => [keyOf(tip), tip]));
  const all = registers.map((register) => ({ register, tip: tips.get(keyOf(register)) ?? null }));
  return { report: noDiscoveries(), startedAt, due: all.filter(({ tip }) => isDue(tip, startedAt)) };
}

/**
 * Reads the due registers of a chain in turn, those with blocks left again after all others, as far as the limits of the
 * run allow.
 */
async function readChain(ctx: Context, of: { chainId: number; run: DiscoveryRun }): Promise<void> {
  const { report, startedAt, due } = of.run;
  const isNarrow = ctx.chains.definitions.get(of.chainId)?.maxLogBlocks !== undefined;
  const maxRequests = isNarrow ? FEW_REQUESTS : MAX_REQUESTS;
  const hasRoom = (): boolean => ctx.now() - startedAt <= RUN_MS && ctx.timing.requests() < maxRequests;
  let turns = due.filter(({ register }) => register.chainId === of.chainId);
  for (let isFirst = true; turns.length > 0; isFirst = false) {
    const left: typeof turns = [];
    for (const { register, tip } of turns) {
      if (!hasRoom()) return;
      if (isFirst) report.registers += 1;
      const next = await readAndStore(ctx, { register, tip, report });
      // The error of an earlier run keeps the requests of this one narrow.
      if (next !== null) left.push({ register, tip: { ...next, error: tip?.error ?? null } });
    }
    turns = left;
  }
}

const keyOf = ({ chainId, address }: { chainId: number; address: string }): string =>
  `${chainId}:${address.toLowerCase()}`;

const isDue = (tip: RegisterTip | null, now: number): boolean => tip === null || tip.dueAt.getTime() <= now;

/** Returns the name of a register in the `named_by` column of registry entries: `register:<lowercase address>`. */
export const sourceOf = ({ address }: Pick<VaultRegister, "address">): string =>
  `register:${address.toLowerCase()}`;

/**
 * Reads a register once and stores what it names. Returns its new progress if blocks are left that another read may
 * reach, otherwise null.
 */
async function readAndStore(
  ctx: Context,
  of: { register: VaultRegister; tip: RegisterTip | null; report: DiscoveryReport },
): Promise<RegisterTip | null> {
  const { register, tip, report } = of;
  const now = ctx.now();
  const key = { chainId: register.chainId, address: register.address.toLowerCase() };
  const store = async (
    stored: Omit<RegisterTip, "chainId" | "address">,
    found: Pick<RegisterVaults, "vaults" | "complete">,
  ): Promise<RegisterTip> => {
    const candidates = found.vaults.map((address) => toCandidate(register, address));
    const report = { tip: { ...key, ...stored }, source: sourceOf(register), candidates };
    await writeRegisterReport(ctx.db, { ...report, complete: found.complete });
    return report.tip;
  };
  try {
    const reading = await readOnChain(ctx, { register, tip });
    const { vaults, complete, readTo, behind, skipped } = reading;
    const earlier = register.reading.kind === "list" ? 0 : (tip?.named ?? 0);
    const named = earlier + vaults.length;
    const dueAt = new Date(now + (complete ? DUE_MS.list : behind ? DUE_MS.behind : DUE_MS.events));
    report.named += vaults.length;
    if (skipped !== undefined) {
      report.skipped += 1;
      ctx.log.warn("register_history_skipped", { register: keyOf(register), ...skipped });
    }
    const next = await store({ readTo, named, dueAt, error: null }, reading);
    return behind && readTo !== (tip?.readTo ?? null) ? next : null;
  } catch (error) {
    report.failed += 1;
    ctx.log.warn("register_unread", { register: keyOf(register), error: describeError(error) });
    const failed = {
      readTo: tip?.readTo ?? null,
      named: tip?.named ?? 0,
      error: describeError(error).slice(0, 200),
    };
    const pause = failed.readTo === null ? DUE_MS.failed : DUE_MS.behind;
    await store({ ...failed, dueAt: new Date(now + pause) }, { vaults: [], complete: false });
    return null;
  }
}

async function readOnChain(
  ctx: Context,
  { register, tip }: { register: VaultRegister; tip: RegisterTip | null },
): Promise<RegisterVaults> {
  const client = ctx.chains.client(register.chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${register.chainId} is not served`);
  const listed = register.reading.kind === "list";
  const head = listed ? 0 : await readHeadNumber(client);
  return readRegister(client, {
    ...{ register, readTo: tip?.readTo ?? null, head: Math.max(0, head - UNSETTLED_BLOCKS) },
    ...(tip?.error == null ? {} : { maxBlocks: BLOCKS_AFTER_FAILURE }),
  });
}

/**
 * Returns the registry row of a discovered vault. Until its proof reads its other addresses, they equal its own, and
 * its asset is the zero address. It is named after its protocol, because a vault's own name is unverified.
 */
function toCandidate(register: VaultRegister, address: string): NewVault {
  const own = address.toLowerCase();
  const { adapter, protocol } = register;
  return {
    ...{ chainId: register.chainId, address: own, adapter, type: findFamily(adapter)?.type ?? "custom" },
    ...{ name: `${protocol} vault`, assetAddress: zeroAddress, assetSymbol: "", assetDecimals: 0 },
    ...{ shareToken: own, shareDecimals: 0, entryPoint: own, spender: own, pricer: own, acceptedAssets: [] },
    ...{ status: "candidate", statusBy: "proof", statusReason: "not admitted yet" },
    provenance: { source: "factory", detail: `${protocol} ${register.address}` },
    claim: { adapter, asset: null, shareToken: null },
  };
}
