import { parseAbi } from "viem";
import { createQuery, type ReadResult, read, readThen, valueOrNull } from "../../../chains/query.ts";
import { smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FamilyViews } from "../erc4626/family-views.ts";
import { defineErc4626, erc4626Abi } from "../erc4626/index.ts";
import { explainUpshift } from "./errors.ts";
import { upshiftLegacyFlows } from "./flows.ts";

const limitsAbi = once(() =>
  parseAbi([
    "function depositsPaused() view returns (bool)",
    "function maxDepositAmount() view returns (uint256)",
    "function maxSupply() view returns (uint256)",
  ]),
);

/** The shares that may still be minted; null: not told, or no limit is set. `maxDeposit` leaves them out. */
function sharesLeft(told: { most: ReadResult<bigint>; supply: ReadResult<bigint> }): bigint | null {
  const [most, supply] = [valueOrNull(told.most), valueOrNull(told.supply)];
  if (most === null || most === 0n || supply === null) return null;
  return most > supply ? most - supply : 0n;
}

/** A switch of deposits alone, the most that one deposit may bring, and the most shares that there may be. */
function limitViews(vault: Vault) {
  const on = { to: vault.entryPoint, abi: limitsAbi() } as const;
  const reads = {
    paused: read({ ...on, name: "depositsPaused" }),
    perDeposit: read({ ...on, name: "maxDepositAmount" }),
    most: read({ ...on, name: "maxSupply" }),
    supply: read({ to: vault.shareToken, abi: erc4626Abi(), name: "totalSupply" }),
  };
  return readThen(reads, (first) => {
    const left = sharesLeft(first);
    const args = left === null ? null : ([left] as const);
    const room =
      args === null
        ? {}
        : { room: read({ to: vault.pricer, abi: erc4626Abi(), name: "convertToAssets", args }) };
    return createQuery(
      room,
      ({ room: told }): FamilyViews => ({
        paused: valueOrNull(first.paused) === true,
        maxDeposit: smaller(valueOrNull(first.perDeposit), told === undefined ? null : valueOrNull(told)),
      }),
    );
  });
}

/**
 * Upshift's older vaults, the lending pools and tokenized accounts: deposits as in ERC-4626; withdrawals are
 * requested. Source: the published ABIs of August Digital, and TimelockedERC4626.
 */
export const upshiftLegacy = defineErc4626({
  name: "upshift_legacy",
  views: limitViews,
  explain: explainUpshift,
  flows: upshiftLegacyFlows,
});
