import { type Address, isAddressEqual, parseAbi, zeroAddress } from "viem";
import { andThen, createQuery, mapQuery, type Query, read, readThen } from "../../../chains/chain-reads.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { midasUnit } from "./midas-params.ts";
import { WAD } from "./midas-pricing.ts";

const pricesAbi = once(() =>
  parseAbi([
    "function tokensConfig(address) view returns (address dataFeed, uint256 fee, uint256 allowance, bool stable)",
    "function getDataInBase18() view returns (uint256)",
  ]),
);

/**
 * Returns a query for the price of a payment token in the feeds' common currency, with 18 decimals, by the settings of
 * a DepositVault or RedemptionVault. Null if unknown. Source: midas-apps/contracts, `_getTokenRate`.
 */
function tokenPrice(vault: Address, token: Address): Query<bigint | null> {
  const config = read({ to: vault, abi: pricesAbi(), name: "tokensConfig", args: [token] });
  return readThen({ config }, ({ config: seen }): Query<bigint | null> => {
    if (!seen.ok || isAddressEqual(seen.value[0], zeroAddress)) return createQuery({}, () => null);
    const [feed, , , stable] = seen.value;
    if (stable) return createQuery({}, () => WAD);
    const price = read({ to: feed, abi: pricesAbi(), name: "getDataInBase18" });
    return createQuery({ price }, ({ price: answer }) =>
      answer.ok && answer.value > 0n ? answer.value : null,
    );
  });
}

/**
 * Returns a query that converts a value in the feeds' common currency (18 decimals) to an amount of the asset, in the
 * asset's smallest unit, rounded down. Null if the asset's price is unknown or the asset has more than 18 decimals.
 */
export function midasValueInAsset(vault: Vault, value: bigint): Query<bigint | null> {
  const unit = midasUnit(vault.asset.decimals);
  if (unit === null) return createQuery({}, () => null);
  if (vault.params["asset_rate"] === "stable") return createQuery({}, () => value / unit);
  return mapQuery(tokenPrice(vault.entryPoint, vault.asset.address), (price) =>
    price === null ? null : mulDivDown(value, WAD, price) / unit,
  );
}

/**
 * Returns a query that converts an amount (18 decimals) of a token that a RedemptionVault (`by`) paid to the
 * asset's smallest unit, by the price of each, rounded down. Null if a price is unknown or if the asset has more than 18
 * decimals.
 */
export function midasAmountInAsset(
  vault: Vault,
  paid: { by: Address; token: Address; amount: bigint },
): Query<bigint | null> {
  return andThen(tokenPrice(paid.by, paid.token), (price) =>
    price === null
      ? createQuery({}, () => null)
      : midasValueInAsset(vault, mulDivDown(paid.amount, price, WAD)),
  );
}
