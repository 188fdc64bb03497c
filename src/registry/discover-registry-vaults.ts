import { zeroAddress } from "viem";
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
}

/**
 * Time until the next read of a register, in milliseconds: of a whole list; of events, with blocks left to read
 * (`behind`) or none (`events`), the latter also of a list with a part missing; after a failure.
 */
const DUE_MS = { list: DAY_MS, behind: MINUTE_MS, events: HOUR_MS, failed: HOUR_MS } as const;
/** Time after which a run starts no further register, in milliseconds. */
const RUN_MS = 30 * SECOND_MS;
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

/**
 * Reads the registers that are due, several chains in parallel, starting none after 30 seconds, and stores the vaults
 * that they name, new ones as candidates. A register that cannot be read is logged and due again in an hour. Throws
 * `store_unavailable`.
 */
export async function discoverVaults(ctx: Context): Promise<DiscoveryReport> {
  const startedAt = ctx.now();
  const registers = servedRegisters(ctx).filter(({ reading }) => reading.kind !== "asked");
  const chainIds = [...new Set(registers.map(({ chainId }) => chainId))];
  const tips = new Map((await selectRegisterTips(ctx.db, chainIds)).map((tip) => [keyOf(tip), tip]));
  const report: DiscoveryReport = { registers: 0, failed: 0, named: 0 };
  await mapConcurrently(chainIds, {
    doubtful: (chainId) => registers.some((one) => one.chainId === chainId && tips.get(keyOf(one))?.error),
    work: async (chainId) => {
      for (const register of registers) {
        const tip = tips.get(keyOf(register)) ?? null;
        if (register.chainId !== chainId || !isDue(tip, startedAt)) continue;
        if (ctx.now() - startedAt > RUN_MS) return;
        await readAndStore(ctx, { register, tip, report });
      }
    },
  });
  return report;
}

const keyOf = ({ chainId, address }: { chainId: number; address: string }): string =>
  `${chainId}:${address.toLowerCase()}`;

const isDue = (tip: RegisterTip | null, now: number): boolean => tip === null || tip.dueAt.getTime() <= now;

/** Returns the name of a register in the `named_by` column of registry entries: `register:<lowercase address>`. */
export const sourceOf = ({ address }: Pick<VaultRegister, "address">): string =>
  `register:${address.toLowerCase()}`;

async function readAndStore(
  ctx: Context,
  of: { register: VaultRegister; tip: RegisterTip | null; report: DiscoveryReport },
): Promise<void> {
  const { register, tip, report } = of;
  const now = ctx.now();
  const key = { chainId: register.chainId, address: register.address.toLowerCase() };
  report.registers += 1;
  try {
    const reading = await readOnChain(ctx, { register, readTo: tip?.readTo ?? null });
    const { vaults, complete, readTo, behind } = reading;
    const earlier = register.reading.kind === "list" ? 0 : (tip?.named ?? 0);
    const named = earlier + vaults.length;
    const dueAt = new Date(now + (complete ? DUE_MS.list : behind ? DUE_MS.behind : DUE_MS.events));
    report.named += vaults.length;
    await writeRegisterReport(ctx.db, {
      tip: { ...key, readTo, named, dueAt, error: null },
      source: sourceOf(register),
      candidates: vaults.map((address) => toCandidate(register, address)),
      complete,
    });
  } catch (error) {
    report.failed += 1;
    ctx.log.warn("register_unread", { register: keyOf(register), error: describeError(error) });
    const failed = {
      readTo: tip?.readTo ?? null,
      named: tip?.named ?? 0,
      error: describeError(error).slice(0, 200),
    };
    const row = { ...key, ...failed, dueAt: new Date(now + DUE_MS.failed) };
    await writeRegisterReport(ctx.db, {
      tip: row,
      source: sourceOf(register),
      candidates: [],
      complete: false,
    });
  }
}

async function readOnChain(
  ctx: Context,
  { register, readTo }: { register: VaultRegister; readTo: number | null },
): Promise<RegisterVaults> {
  const client = ctx.chains.client(register.chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${register.chainId} is not served`);
  const listed = register.reading.kind === "list";
  const head = listed ? 0 : await readHeadNumber(client);
  return readRegister(client, { register, readTo, head: Math.max(0, head - UNSETTLED_BLOCKS) });
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
