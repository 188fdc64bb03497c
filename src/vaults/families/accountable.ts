import { isAddressEqual, parseAbi, zeroAddress } from "viem";
import { createQuery, type ReadResult, read, readThen, valueOrNull } from "../../chains/query.ts";
import { larger } from "../../lib/amount.ts";
import { once } from "../../lib/once.ts";
import { familyErrors } from "../reverts.ts";
import type { Vault } from "../vault.ts";
import type { Refusal, TermsInput } from "../vault-adapter.ts";
import type { FamilyViews } from "./erc4626/family-views.ts";
import { defineErc4626, erc4626Abi } from "./erc4626/index.ts";

const vaultAbi = once(() =>
  parseAbi([
    "function strategy() view returns (address)",
    "function MIN_AMOUNT_WEI() view returns (uint256)",
    "function permissionLevel() view returns (uint8)",
    "function allowed(address) view returns (bool)",
  ]),
);
const strategyAbi = once(() =>
  parseAbi(["function paused() view returns (bool)", "function loan() view returns (uint256 minDeposit)"]),
);
/** Who may deposit: anybody, whoever shows a signature made for the call, or who is on a list. */
const LEVELS = { signature: 1, list: 2 } as const;

type Admission = {
  level: ReadResult<number>;
  receives: ReadResult<boolean>;
  calls: ReadResult<boolean>;
};

/** A signature for the call is the operator's to give: none can be put into a transaction here. */
function refusalOf(asked: TermsInput | null, { level, receives, calls }: Admission): Refusal | null {
  if (asked === null) return null;
  if (valueOrNull(level) === LEVELS.signature) return "not_allowed";
  const stranger = asked.caller !== null && valueOrNull(calls) === false;
  const shut = valueOrNull(level) === LEVELS.list && (stranger || valueOrNull(receives) === false);
  return shut ? "not_allowed" : null;
}

/** Minimum, pause and permission, by the vault and its strategy, and net assets: what all shares convert to. */
function views(vault: Vault, asked: TermsInput | null) {
  const on = { to: vault.entryPoint, abi: vaultAbi() } as const;
  const receiver = asked?.receiver ?? vault.entryPoint;
  const amount = asked?.amount ?? 0n;
  return readThen(
    {
      strategy: read({ ...on, name: "strategy" }),
      minimum: read({ ...on, name: "MIN_AMOUNT_WEI" }),
      level: read({ ...on, name: "permissionLevel" }),
      receives: read({ ...on, name: "allowed", args: [receiver] }),
      calls: read({ ...on, name: "allowed", args: [asked?.caller ?? receiver] }),
      shares: read({ to: vault.pricer, abi: erc4626Abi(), name: "convertToShares", args: [amount] }),
      supply: read({ to: vault.shareToken, abi: erc4626Abi(), name: "totalSupply" }),
    },
    (first) => {
      const own = { refusal: refusalOf(asked, first), shares: valueOrNull(first.shares) };
      return createQuery(
        strategyReads(vault, first),
        ({ worth, paused, minimum }): FamilyViews => ({
          ...own,
          totalAssets: worth === undefined ? null : valueOrNull(worth),
          paused: paused !== undefined && valueOrNull(paused) === true,
          minDeposit: larger(valueOrNull(first.minimum), minimum === undefined ? null : valueOrNull(minimum)),
        }),
      );
    },
  );
}

/** What the strategy says, and what all shares are worth, as far as the first answers allow to ask. */
function strategyReads(
  vault: Vault,
  first: { strategy: ReadResult<`0x${string}`>; supply: ReadResult<bigint> },
) {
  const { strategy, supply } = first;
  const args = supply.ok ? ([supply.value] as const) : null;
  const known = strategy.ok && !isAddressEqual(strategy.value, zeroAddress) ? strategy.value : null;
  return {
    ...(args !== null && {
      worth: read({ to: vault.pricer, abi: erc4626Abi(), name: "convertToAssets", args }),
    }),
    ...(known !== null && {
      paused: read({ to: known, abi: strategyAbi(), name: "paused" }),
      minimum: read({ to: known, abi: strategyAbi(), name: "loan" }),
    }),
  };
}

/**
 * Accountable's vaults: deposits at once, a share token of its own, minimum, pause and loan with the strategy.
 * `totalAssets` is what lies idle. `DepositNotAllowed` is said to everybody, while the loan is in another state than that
 * of taking deposits. Source: AccountableAsyncRedeemVault, AccountableOpenTerm, AccountableYield.
 */
export const accountable = defineErc4626({
  name: "accountable",
  pausable: true,
  views,
  explain: familyErrors({
    errors: {
      "error InsufficientAmount()": "below_minimum",
      "error DepositNotAllowed()": "vault_paused",
      "error NAVGracePeriodExpired()": "price_stale",
      "error Unauthorized()": "not_allowed",
      "error ExceedsMaxDeposit()": "above_maximum",
      "error SharesNotTransferable()": "share_locked",
    },
  }),
});
