import { decodeErrorResult, type Hex, parseAbi, slice, toFunctionSelector } from "viem";
import type { ErrorCode } from "../errors.ts";
import { once } from "../lib/once.ts";
import { sanitizeLabel } from "./vault-deriver.ts";

/** ABI of the errors with which vaults of any family may reject a deposit. */
const refusalAbi = once(() =>
  parseAbi([
    "error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)",
    "error EnforcedPause()",
    "error Paused()",
    "error VaultPaused()",
    "error ContractPaused()",
    "error DepositPaused()",
    "error DepositsPaused()",
    "error DepositLimitReached()",
    "error DepositLimitExceeded()",
    "error DepositCapReached()",
    "error DepositCapExceeded()",
    "error SupplyCapExceeded()",
    "error NotWhitelisted()",
    // Receivers of deposits and shares outside of a list. Source: lista-dao/moolah, MoolahVault.
    "error NotWhiteList()",
    "error Blacklisted()",
    "error Blacklisted(address account)",
    // Restricted accounts of Ethena's sUSDe. Source: ethena-labs, StakedUSDe.
    "error OperationNotAllowed()",
    "error ZeroShares()",
    "error AllCapsReached()",
    "error ERC20ExceededCap(uint256 increasedSupply, uint256 cap)",
    "error E_SupplyCapExceeded()",
    "error E_OperationDisabled()",
    "error E_ZeroShares()",
    "error AbsoluteCapExceeded()",
    "error RelativeCapExceeded()",
    "error CannotSendAssets()",
    "error CannotReceiveShares()",
    "error AccessManagedUnauthorized(address caller)",
    "error Error(string reason)",
    "error Panic(uint256 code)",
  ]),
);

/** API error codes by the name of the Solidity error. */
const BY_NAME: Readonly<Record<string, ErrorCode>> = {
  ERC4626ExceededMaxDeposit: "above_maximum",
  AllCapsReached: "above_maximum",
  ERC20ExceededCap: "above_maximum",
  E_SupplyCapExceeded: "above_maximum",
  AbsoluteCapExceeded: "above_maximum",
  RelativeCapExceeded: "above_maximum",
  DepositLimitReached: "above_maximum",
  DepositLimitExceeded: "above_maximum",
  DepositCapReached: "above_maximum",
  DepositCapExceeded: "above_maximum",
  SupplyCapExceeded: "above_maximum",
  EnforcedPause: "vault_paused",
  Paused: "vault_paused",
  VaultPaused: "vault_paused",
  ContractPaused: "vault_paused",
  DepositPaused: "vault_paused",
  DepositsPaused: "vault_paused",
  E_OperationDisabled: "vault_paused",
  E_ZeroShares: "zero_shares",
  ZeroShares: "zero_shares",
  CannotSendAssets: "not_allowed",
  CannotReceiveShares: "not_allowed",
  AccessManagedUnauthorized: "not_allowed",
  NotWhitelisted: "not_allowed",
  NotWhiteList: "not_allowed",
  Blacklisted: "not_allowed",
  OperationNotAllowed: "not_allowed",
};

/** API error codes by the reason string of `Error(string)`. */
const BY_REASON: readonly { reason: RegExp; code: ErrorCode }[] = [
  { reason: /^ZERO_SHARES$|cannot mint zero/i, code: "zero_shares" },
  { reason: /pausable: (?!.*\bnot\b).*paused/i, code: "vault_paused" },
  {
    reason:
      /^(\w+: ?)?((the )?(vault|contract|protocol|pool|deposits?)( is| are)? )?(currently )?paused[.!]?$/i,
    code: "vault_paused",
  },
  { reason: /exceed(s|ed)? deposit limit|deposit more than max/i, code: "above_maximum" },
  {
    reason: /^(\w+: ?)?((deposit|supply|vault|tvl) )?(cap|limit)( is)?( exceeded| reached)[.!]?$/i,
    code: "above_maximum",
  },
  {
    reason:
      /^(\w+: ?)?((the )?(caller|sender|receiver|account|user|depositor)( is)? )?not (whitelisted|allow-?listed)[.!]?$/i,
    code: "not_allowed",
  },
  // Source: Circle, FiatToken, which USDC and EURC are.
  { reason: /^Blacklistable: account is blacklisted$/, code: "not_allowed" },
  { reason: /less than minimum|below min|deposit too small/i, code: "below_minimum" },
  // Permissions, pauses and caps of Maple's pools. Source: maple-labs/pool-v2.
  { reason: /^PM:CC:NOT_ALLOWED$/, code: "not_allowed" },
  { reason: /^(PM:CC:(PROTOCOL_)?PAUSED|P:NOT_ACTIVE)$/, code: "vault_paused" },
  { reason: /^P:DEPOSIT_GT_LIQ_CAP$/, code: "above_maximum" },
];

/** Length of a selector in hex, with its `0x`. */
const SELECTOR_LENGTH = 10;
/** Maximum length of a revert reason in responses, in characters. */
const MAX_REVERT_TEXT = 200;

const wrapperAbi = once(() =>
  parseAbi(["error WrappedError(address target, bytes4 selector, bytes reason, bytes details)"]),
);
/** Maximum number of wrappers that are taken off one revert: a hostile contract may nest many. */
const MAX_WRAPPERS = 4;

/**
 * Returns the revert data inside ERC-7751 wrappers, or the data itself if it has none. Contracts wrap the error of a
 * call that they made, such as a share token's refusal of a transfer. A wrapper stays if it names no reason.
 */
export function unwrapRevert(data: Hex): Hex {
  let inner = data;
  for (let wrappers = 0; wrappers < MAX_WRAPPERS; wrappers += 1) {
    try {
      const { errorName, args } = decodeErrorResult({ abi: wrapperAbi(), data: inner });
      if (errorName !== "WrappedError") return inner;
      const reason = [args[2], args[3]].find((part) => part.length >= SELECTOR_LENGTH);
      if (reason === undefined) return inner;
      inner = reason;
    } catch {
      return inner;
    }
  }
  return inner;
}

/** Meaning of revert data: an error code and a short text. */
export interface ExplainedRevert {
  /** The API error code of a known error, or null if the error is unknown or has no code. */
  code: ErrorCode | null;
  /**
   * Names the error for a reader, such as by its name, its reason string (which may be empty) or its selector. Null if
   * the revert data has no selector or a caller leaves the text out.
   */
  text: string | null;
}

/**
 * Maps revert data to the error code of a deposit and a text, by errors that tokens and vaults of many families share.
 * The code is null if the error is unknown or has none; both are null if the data has no selector.
 */
export function explainCommonRevert(data: Hex): ExplainedRevert {
  if (data.length < SELECTOR_LENGTH) return { code: null, text: null };
  try {
    const { errorName, args } = decodeErrorResult({ abi: refusalAbi(), data });
    if (errorName === "Error") {
      const reason = String(args[0]);
      return {
        code: BY_REASON.find((known) => known.reason.test(reason))?.code ?? null,
        text: sanitizeLabel(reason, MAX_REVERT_TEXT),
      };
    }
    if (errorName === "Panic") return { code: null, text: `Panic(${args[0]})` };
    return { code: BY_NAME[errorName] ?? null, text: errorName };
  } catch {
    return { code: null, text: data.slice(0, SELECTOR_LENGTH) };
  }
}

/** A vault family's own errors with the API error code that each means; null for an error without a code. */
export interface FamilyErrors {
  /** Error codes by the error's Solidity signature, such as `error Name(types)`. */
  errors?: Readonly<Record<string, ErrorCode | null>>;
  /** Patterns of the reason string of `Error(string)`; the first that matches applies. */
  reasons?: readonly { reason: RegExp; code: ErrorCode }[];
}

/**
 * Creates a family's `explain` function from its table of errors. The function returns null for errors that are not in
 * the table.
 */
export function familyErrors({
  errors = {},
  reasons = [],
}: FamilyErrors): (revert: Hex) => ExplainedRevert | null {
  const signatures: readonly string[] = ["error Error(string reason)", ...Object.keys(errors)];
  const abiOf = once(() => parseAbi(signatures));
  // By selector, because errors of one name with other arguments may have other meanings.
  const codesOf = once(
    () =>
      new Map(
        Object.entries(errors).map(([signature, code]) => [
          toFunctionSelector(signature.replace(/^error /, "")),
          code,
        ]),
      ),
  );
  return (revert) => {
    if (revert.length < SELECTOR_LENGTH) return null;
    const abi = abiOf();
    try {
      const { errorName, args } = decodeErrorResult({ abi, data: revert });
      if (errorName !== "Error") {
        const code = codesOf().get(slice(revert, 0, 4));
        // viem also decodes Solidity's `Panic`, which is in no family's table.
        return code === undefined ? null : { code, text: errorName };
      }
      const text = String(args?.[0]);
      const known = reasons.find(({ reason }) => reason.test(text));
      return known === undefined ? null : { code: known.code, text: sanitizeLabel(text, MAX_REVERT_TEXT) };
    } catch {
      return null;
    }
  };
}

const explainOwnExitError = once(() =>
  familyErrors({
    errors: {
      "error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)": "no_liquidity",
      "error ERC4626ExceededMaxWithdraw(address owner, uint256 assets, uint256 max)": "no_liquidity",
      "error NotEnoughLiquidity()": "no_liquidity",
      "error InsufficientLiquidity()": "no_liquidity",
      "error InsufficientLiquidityInVault()": "no_liquidity",
      "error WithdrawalsPaused()": "exits_paused",
      "error WithdrawPaused()": "exits_paused",
      "error RedemptionsPaused()": "exits_paused",
      "error RedeemPaused()": "exits_paused",
      "error ExitsPaused()": "exits_paused",
      "error RequestsPaused()": "exits_paused",
      "error WithdrawalsDisabled()": "exits_paused",
      "error SharesLocked()": "share_locked",
      "error SharesAreLocked()": "share_locked",
      "error ZeroAssets()": "nothing_to_withdraw",
    },
    reasons: [
      {
        reason: /insufficient[- ]liquidity|not enough liquidity|(redeem|withdraw) more than max/i,
        code: "no_liquidity",
      },
      { reason: /^zero[ _]assets$/i, code: "nothing_to_withdraw" },
      {
        reason:
          /^(\w+: ?)?(withdrawals?|redemptions?|exits?)( is| are)?( currently)? (paused|disabled)[.!]?$/i,
        code: "exits_paused",
      },
      { reason: /^(\w+: ?)?(the )?shares?( is| are)?( still)? locked[.!]?$/i, code: "share_locked" },
    ],
  }),
);

/** Error codes of withdrawals, by the code that the same error has for a deposit. */
const EXIT_MEANING: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
  vault_paused: "exits_paused",
  above_maximum: "no_liquidity",
  zero_shares: "nothing_to_withdraw",
};

/**
 * Maps the revert data of a withdrawal to an error code and a text: those of a withdrawal error that many families
 * share, else those of `otherwise`, its meaning for a deposit, with codes such as `vault_paused` replaced by those of
 * withdrawals (`exits_paused`). The code is null if neither has one.
 */
export function explainExitError(data: Hex, otherwise: ExplainedRevert): ExplainedRevert {
  const own = explainOwnExitError()(data);
  if (own !== null) return own;
  const { code, text } = otherwise;
  return { code: code === null ? null : (EXIT_MEANING[code] ?? code), text };
}
