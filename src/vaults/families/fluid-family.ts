import { decodeErrorResult, encodeFunctionData, type Hex, isAddressEqual, parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../chains/chain-reads.ts";
import type { ErrorCode } from "../../errors.ts";
import { once } from "../../lib/once.ts";
import { addressTexts, changeEvent, type GovernanceEvent } from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { DepositCall, DepositInput, VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-deriver.ts";
import type { VaultExits } from "../vault-exits.ts";
import type { ExplainedRevert } from "../vault-reverts.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import {
  erc4626Deriver,
  type Identification,
  identifyByAnswers,
  objectionOf,
} from "./erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";
import { factoriesByChain, fluidFactories } from "./family-factory-addresses.ts";

const depositAbi = once(() =>
  parseAbi([
    "function deposit(uint256 assets, address receiver, uint256 minAmountOut) returns (uint256 shares)",
  ]),
);
const redeemAbi = once(() =>
  parseAbi([
    "function redeem(uint256 shares, address receiver, address owner, uint256 minAmountOut) returns (uint256 assets)",
  ]),
);
const numberedAbi = once(() =>
  parseAbi(["error FluidLendingError(uint256 errorId)", "error FluidLiquidityError(uint256 errorId)"]),
);

/**
 * Error code and name by error number, for the numbered errors of Fluid's fTokens and liquidity layer that a deposit
 * may meet.
 */
const BY_NUMBER: Readonly<Record<string, ExplainedRevert>> = {
  11002: { code: "vault_paused", text: "UserModule__UserPaused" },
  11006: { code: "above_maximum", text: "UserModule__OperateAmountOutOfBounds" },
  11007: { code: "below_minimum", text: "UserModule__OperateAmountInsufficient" },
  11014: { code: "above_maximum", text: "UserModule__ValueOverflow__TOTAL_SUPPLY" },
  11017: { code: "above_maximum", text: "UserModule__OperateAmountRatioExcess" },
  // A pause of the whole liquidity layer sets the lock of its reentrancy guard.
  12001: { code: "vault_paused", text: "LiquidityHelpers__Reentrancy" },
  20001: { code: "below_minimum", text: "fToken__DepositInsignificant" },
  20002: { code: null, text: "fToken__MinAmountOut" },
};
/** Error code for each named error of Fluid, by signature. Null for an error that has no code of its own. */
const BY_NAME: Readonly<Record<string, ErrorCode | null>> = {
  "error fToken__DepositInsignificant()": "below_minimum",
  "error fToken__MinAmountOut()": null,
};
const explainNamedError = familyErrors({ errors: BY_NAME });

/**
 * Error code and name by error number, for the numbered errors that only a withdrawal meets or that mean something else
 * for it than for a deposit.
 */
const OF_EXITS: Readonly<Record<string, ExplainedRevert>> = {
  11002: { code: "exits_paused", text: "UserModule__UserPaused" },
  11003: { code: "no_liquidity", text: "UserModule__WithdrawalLimitReached" },
  12001: { code: "exits_paused", text: "LiquidityHelpers__Reentrancy" },
};

function numberedError(revert: Hex): { number: string; text: string } | null {
  try {
    const { errorName, args } = decodeErrorResult({ abi: numberedAbi(), data: revert });
    if (errorName !== "FluidLendingError" && errorName !== "FluidLiquidityError") return null;
    return { number: String(args[0]), text: `${errorName}(${args[0]})` };
  } catch {
    return null;
  }
}

function explain(revert: Hex): ExplainedRevert | null {
  const error = numberedError(revert);
  if (error === null) return explainNamedError(revert);
  return BY_NUMBER[error.number] ?? { code: null, text: error.text };
}

/**
 * Exits of fTokens: the ERC-5143 overload of `redeem`, which enforces the minimum of assets itself. A few units of
 * shares may remain. Source: Instadapp/fluid-contracts.
 */
const exits: VaultExits = {
  ...erc4626Exits({
    encode: ({ shares, receiver, owner }, { minAssets }) => ({
      data: encodeFunctionData({ abi: redeemAbi(), args: [shares, receiver, owner, minAssets] }),
      minAssets: "native",
    }),
  }),
  explain: (revert) => OF_EXITS[numberedError(revert)?.number ?? ""] ?? null,
};

/** Encodes the ERC-5143 overload of `deposit`, which enforces the minimum shares itself. */
function encode(_vault: Vault, request: DepositInput): Pick<DepositCall, "data" | "minShares"> {
  const args = [request.amount, request.receiver, request.minShares] as const;
  return {
    data: encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args }),
    minShares: "native",
  };
}

/**
 * Adapter of Fluid's fTokens, which have a minimum deposit. Deposits and instant withdrawals use the ERC-5143 calls,
 * which enforce the minimum of shares or assets themselves. Source: Instadapp/fluid-contracts.
 */
export const fluid = defineErc4626({ name: "fluid", ratio: true, encode, explain, exits });

/**
 * Governance events of Fluid's fTokens. Other governance events of Fluid are emitted by protocol-wide contracts and are
 * not read. Source: fluid-contracts-public.
 */
const fluidEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "strategy", "LogUpdateRewards(address indexed rewardsRateModel)"], {
    ...addressTexts("rewards rate model", {
      member: "rewardsRateModel",
      advice: "This contract determines the rewards that are part of the yield.",
      removed: "The yield no longer includes these rewards.",
    }),
  }),
];

const identificationAbi = once(() =>
  parseAbi([
    "function getData() view returns (address liquidity, address lendingFactory, address rewardsRateModel, address permit2, address rebalancer, bool rewardsActive, uint256 liquidityBalance, uint256 liquidityExchangePrice, uint256 tokenExchangePrice)",
    "function minDeposit() view returns (uint256)",
    "function allTokens() view returns (address[])",
  ]),
);
const factories = factoriesByChain(fluidFactories);

/**
 * Returns a query that identifies an fToken by its own views and by Fluid's factory on the chain. If that is not known,
 * the factory that the token names must not deny it. Source: fluid-contracts-public, IFTokenViews.
 */
function identifyFluid({ chainId, address }: DerivationSubject): Query<Identification> {
  const on = { to: address, abi: identificationAbi() } as const;
  return identifyByAnswers("Fluid", {
    views: { getData: read({ ...on, name: "getData" }), minDeposit: read({ ...on, name: "minDeposit" }) },
    confirm: ({ getData: [, named] }) => {
      const [factory] = factories[chainId] ?? [];
      const tokens = read({ to: factory ?? named, abi: identificationAbi(), name: "allTokens" });
      return createQuery({ tokens }, (results) => {
        const listed = valueOrNull(results.tokens)?.some((token) => isAddressEqual(token, address));
        // The contract chose the factory that it names, so only a denial of that one says anything.
        if (factory === undefined && listed === undefined) return null;
        return objectionOf([listed ?? null]);
      });
    },
  });
}

/** Vault family of Fluid's fTokens: its adapter, deriver and governance events. */
export const fluidFamily: VaultFamily = {
  adapter: fluid,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifyFluid }),
  governanceEvents: fluidEvents,
};
