import { parseAbi } from "viem";
import {
  createQuery,
  mapQuery,
  queryAll,
  type ReadResult,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { VaultFamily } from "../../vault-adapter.ts";
import { withWithdrawSeconds } from "../../vault-params.ts";
import { defineErc4626, erc4626Abi } from "../erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, identifyByViews } from "../erc4626-base/erc4626-derivation.ts";
import type { FamilyViews } from "../erc4626-base/erc4626-variant-views.ts";
import { explainUpshift } from "./upshift-errors.ts";
import { upshiftExits } from "./upshift-exits.ts";
import { upshiftLegacyFlows } from "./upshift-flow-events.ts";
import { upshiftLegacyEvents } from "./upshift-governance-events.ts";

const limitsAbi = once(() =>
  parseAbi([
    "function depositsPaused() view returns (bool)",
    "function maxDepositAmount() view returns (uint256)",
    "function maxSupply() view returns (uint256)",
    "function lagDuration() view returns (uint256)",
  ]),
);

/**
 * Returns the shares that may still be minted under the supply cap, which the vault's `maxDeposit` ignores. Null if
 * there is no cap or a read failed.
 */
function sharesLeft(results: { most: ReadResult<bigint>; supply: ReadResult<bigint> }): bigint | null {
  const [most, supply] = [valueOrNull(results.most), valueOrNull(results.supply)];
  if (most === null || most === 0n || supply === null) return null;
  return most > supply ? most - supply : 0n;
}

/**
 * Returns a query for the deposit pause and the largest deposit, in the asset's smallest unit: the smaller of the limit
 * per deposit and the value of the shares left under the supply cap, where an unknown one is ignored.
 */
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
      ({ room: assets }): FamilyViews => ({
        ...{ paused: valueOrNull(first.paused) === true, pauseUnknown: !first.paused.ok },
        maxDeposit: smaller(valueOrNull(first.perDeposit), assets === undefined ? null : valueOrNull(assets)),
      }),
    );
  });
}

/**
 * Adapter of Upshift's legacy vaults: lending pools and tokenized accounts, whose deposits follow ERC-4626. Sources:
 * the published ABIs of August Digital, TimelockedERC4626.
 */
export const upshiftLegacy = defineErc4626({
  name: "upshift_legacy",
  views: limitViews,
  explain: explainUpshift,
  flows: upshiftLegacyFlows,
  exits: upshiftExits({ legacy: true }),
});

/** Vault family of Upshift's legacy vaults, which are lending pools and tokenized accounts. */
export const upshiftLegacyFamily: VaultFamily = {
  adapter: upshiftLegacy,
  type: "custom",
  deriver: erc4626Deriver({
    identify: ({ address, params }) => {
      const onSubject = { to: address, abi: limitsAbi() } as const;
      const own = identifyByViews("Upshift", {
        depositsPaused: read({ ...onSubject, name: "depositsPaused" }),
        maxDepositAmount: read({ ...onSubject, name: "maxDepositAmount" }),
      });
      const lag = createQuery({ lag: read({ ...onSubject, name: "lagDuration" }) }, (results) =>
        valueOrNull(results.lag),
      );
      return mapQuery(
        queryAll({ own, lag }),
        ({ own: known, lag: seconds }): Identification =>
          known.ok ? { ...known, params: withWithdrawSeconds(params, seconds) } : known,
      );
    },
  }),
  governanceEvents: upshiftLegacyEvents,
};
