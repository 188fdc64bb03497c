import { parseAbi, toFunctionSelector } from "viem";
import { type ReadResult, type ReadResults, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import { probe } from "../derive/probe.ts";
import type { Vault } from "../vault.ts";

const gateAbi = once(() =>
  parseAbi([
    "function paused() view returns (bool)",
    "function isTotalAssetsValid() view returns (bool)",
    "function syncMode() view returns (uint8)",
    "function requestRedeem(uint256 shares, address controller, address owner) returns (uint256 requestId)",
  ]),
);
/** `Both` and `SyncDeposit`, by their order in v0.6. */
const DEPOSITING_MODES: readonly number[] = [0, 1];
const NOT_OPEN = toFunctionSelector("NotOpen(uint8)");

/**
 * Whether and how a Lagoon vault takes deposits. No version has a view of its state: the redemption of a share of
 * its own is asked for, which a vault that is closing or closed refuses before anything else, and an open one for
 * want of an allowance. Neither writes, which within a static call would cost all gas.
 */
export function gateReads(vault: Vault) {
  const on = { to: vault.entryPoint, abi: gateAbi() } as const;
  const own = [1n, vault.entryPoint, vault.entryPoint] as const;
  return {
    paused: read({ ...on, name: "paused" }),
    valid: read({ ...on, name: "isTotalAssetsValid" }),
    mode: read({ ...on, name: "syncMode" }),
    open: probe({ ...on, name: "requestRedeem", args: own }),
  };
}

/**
 * `sync`: a deposit mints at once. `paused`: none is taken either way. A vault that is not open would take requests
 * that nobody settles; one of v0.6 whose valuation is valid takes none, and may be told to mint none either.
 */
export function gateOf(results: ReadResults<ReturnType<typeof gateReads>>): {
  sync: boolean;
  paused: boolean;
} {
  const valid = valueOrNull(results.valid) === true;
  const mode = valueOrNull(results.mode);
  const mints = mode === null || DEPOSITING_MODES.includes(mode);
  const shut = valueOrNull(results.paused) === true || isNotOpen(results.open);
  return { sync: valid && mints, paused: shut || (valid && !mints) };
}

const isNotOpen = (result: ReadResult<unknown>): boolean =>
  !result.ok && result.revert?.startsWith(NOT_OPEN) === true;
