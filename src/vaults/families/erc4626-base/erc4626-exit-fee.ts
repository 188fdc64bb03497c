import { parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { MAX_UINT256 } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { DepositTerms } from "../../vault-adapter.ts";
import { exitFeeOf } from "../../vault-share-price.ts";

const feeAbi = once(() =>
  parseAbi([
    "function convertToAssets(uint256) view returns (uint256)",
    "function previewRedeem(uint256) view returns (uint256)",
  ]),
);

/**
 * Value of the shares that are redeemed, in the asset's smallest unit: one USDC, or hardly anything of a token with more
 * decimals. Rounding then costs at most a few millionths.
 */
const SAMPLE_VALUE = 10n ** 6n;

/**
 * Returns a query for the fee of an instant withdrawal, from a redemption that nearly every vault can pay: for vaults
 * where one share is no sample, because it is worth more than the vault holds, or next to nothing. `price` is a number
 * of shares and their value, in smallest units. The fee is a fraction; null if unknown.
 */
export function smallExitFeeQuery(vault: Vault, price: DepositTerms["price"]): Query<number | null> {
  const unknown: Query<null> = createQuery({}, () => null);
  if (price === null || price.assets === 0n) return unknown;
  const shares = (price.shares * SAMPLE_VALUE + price.assets - 1n) / price.assets;
  if (shares > MAX_UINT256) return unknown;
  const args = [shares] as const;
  const abi = feeAbi();
  return createQuery(
    {
      gross: read({ to: vault.pricer, abi, name: "convertToAssets", args }),
      net: read({ to: vault.entryPoint, abi, name: "previewRedeem", args }),
    },
    ({ gross, net }) => exitFeeOf({ gross: valueOrNull(gross), net: valueOrNull(net) }),
  );
}
