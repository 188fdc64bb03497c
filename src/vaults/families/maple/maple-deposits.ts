import { encodeAbiParameters, parseAbi, parseAbiParameters, stringToHex } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { TermsInput } from "../../vault-adapter.ts";
import { addressParam } from "../../vault-params.ts";
import { ORDINARY_ACCOUNT } from "../erc4626-base/erc4626-derivation.ts";
import type { FamilyViews } from "../erc4626-base/erc4626-variant-views.ts";

const managerAbi = once(() =>
  parseAbi([
    "function canCall(bytes32 functionId, address caller, bytes data) view returns (bool allowed, string reason)",
    "function active() view returns (bool)",
  ]),
);
const depositParameters = once(() => parseAbiParameters("uint256 assets, address receiver"));
/** Name by which a pool asks its manager whether a deposit is allowed. */
const DEPOSIT = stringToHex("P:deposit", { size: 32 });
/** Reasons of a manager that its pool or the whole protocol is stopped, and that the receiver has no permission. */
const STOPPED = /PAUSED$|NOT_ACTIVE$/;
const NOT_ALLOWED = /NOT_ALLOWED$/;

/**
 * Returns a query for what a Maple pool asks its manager before a deposit, because `maxDeposit` knows nothing of pauses:
 * whether protocol and pool are open and, for a `request`, whether its receiver has permission. What cannot be read
 * counts as no obstacle. Sources: maple-labs/pool-v2 (`canCall`), maple-labs/globals-v2 (`isFunctionPaused`).
 */
export function mapleDepositViews(vault: Vault, request: TermsInput | null): Query<FamilyViews> {
  const on = { to: addressParam(vault, "pool_manager") ?? vault.entryPoint, abi: managerAbi() } as const;
  const receiver = request?.receiver ?? ORDINARY_ACCOUNT;
  const data = encodeAbiParameters(depositParameters(), [request?.amount ?? 1n, receiver]);
  const caller = request?.caller ?? receiver;
  const reads = {
    call: read({ ...on, name: "canCall", args: [DEPOSIT, caller, data] }),
    active: read({ ...on, name: "active" }),
  };
  return createQuery(reads, ({ call, active }): FamilyViews => {
    const [allowed = true, reason = ""] = valueOrNull(call) ?? [];
    const barred = request !== null && !allowed && NOT_ALLOWED.test(reason);
    return {
      paused: (!allowed && STOPPED.test(reason)) || valueOrNull(active) === false,
      refusal: barred ? "not_allowed" : null,
    };
  });
}
