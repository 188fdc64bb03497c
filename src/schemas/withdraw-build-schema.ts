import * as z from "zod";
import { explainAmount } from "../lib/amount.ts";
import { bridgeKeys, PartnerTypeInput, slippageInput } from "./build-input-schema.ts";
import {
  AmountInput,
  AmountText,
  ChainIdInput,
  TimeText,
  TokenInput,
  TrackingIdText,
  UsdText,
  UserInput,
  VaultIdInput,
} from "./primitive-schemas.ts";
import { AppliedSlippage, ChosenWay, Tracking } from "./quote-schema.ts";
import { authorizeFields, canSubmit, submitterIssue } from "./signing-schema.ts";
import { Steps, Warnings } from "./step-schema.ts";
import { Approval, TransactionRequest, WalletCall } from "./transaction-schema.ts";

/** Number of shares in a request, or all that the user holds. */
const SharesInput = z
  .string({ error: ({ input }) => (input === undefined ? undefined : explainAmount(input)) })
  .transform((text, context): bigint | "all" => {
    if (text === "all") return text;
    const amount = AmountInput.safeParse(text);
    if (amount.success) return amount.data;
    const all = 'must be "all" in lowercase, or a number of shares in the smallest unit';
    const message = /^(?:all|max|100 ?%)$/i.test(text.trim()) ? all : `${explainAmount(text)}, or "all"`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .meta({
    type: "string",
    pattern: "^(all|[1-9][0-9]{0,77})$",
    description:
      "Shares to redeem, in the share token's smallest unit, or `all`: the user's whole balance at the build. Shares that " +
      "arrive between the build and the transaction are redeemed too if the user signs no order, the Router executes it, " +
      "nothing is swapped or bridged, and an earlier, higher allowance covers them. Otherwise they stay with the user until " +
      "the next withdrawal: the approval in the response covers no more than the shares of the build, so that no allowance " +
      "is left behind.",
    example: "944000000000000000",
  });

/** Withdrawal modes that a caller can request. */
const withdrawModes = ["auto", "instant", "request"] as const;

/** Explains that a cooldown, which is a mode of options and records, is asked for as a request. */
const explainMode = ({ input }: { input?: unknown }): string | undefined =>
  input === "cooldown" ? "must be `request`, which also starts a cooldown" : undefined;

/** Request body for quoting or building a withdrawal. Unknown fields are rejected: a misspelling could cost money. */
export const WithdrawInput = z
  .strictObject({
    vault_id: VaultIdInput.meta({
      description:
        "Vault to withdraw from: `<chain_id>:<vault address>`, in any letter case. Withdrawals are possible also while this service has paused its deposits.",
    }),
    user_address: UserInput.meta({
      description: "Wallet that holds the shares and receives the payment; not the zero address.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    shares: SharesInput,
    to_chain_id: ChainIdInput.optional().meta({
      description: "EIP-155 id of the chain on which the user wants to be paid. Default: the vault's chain.",
    }),
    to_token: TokenInput.optional().meta({
      description:
        "Token that the user wants; for the native currency the zero address or " +
        "`0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE`. Default: the vault's asset; another chain needs it named.",
    }),
    slippage: slippageInput()
      .optional()
      .meta({
        description:
          "Slippage tolerance: maximum total loss between the expected value and what is received, as a fraction. Default: " +
          "0.005 for a token that the vault pays itself, 0.03 otherwise.",
        example: 0.005,
      }),
    mode: z.enum(withdrawModes, { error: explainMode }).default("auto").meta({
      description:
        "`instant`: paid in the same transaction; `request`: paid after the vault has settled, or after a cooldown; `auto`: the first that is possible, `instant` first if its exit fee is at most `slippage` or unknown, otherwise last. No other mode is taken if the vault would pay but nothing brings its payment to the requested token.",
    }),
    preferred_bridge: z.enum(bridgeKeys).optional().meta({
      description:
        "Key of the preferred bridge (`GET /v1/bridges`). Another bridge is used if the preferred bridge has no route.",
    }),
    partner_id: z.string().max(64).default("").meta({
      description:
        "Id of the partner. If an API key is sent, it must be empty or the id of the key's partner. Recorded on-chain as in deposits if the DepositRouter redeems the shares.",
      example: "ptr_0123456789abcdef0123456789abcdef",
    }),
    partner_type: PartnerTypeInput.default(0).meta({
      description:
        "Kind of partner: 0 direct, 1 creator, 2 wallet. With an API key, that of the partner's settings is used instead.",
      example: 2,
    }),
    ...authorizeFields,
  })
  .refine(canSubmit, submitterIssue)
  .meta({
    id: "WithdrawInput",
    description: "A withdrawal to quote or to build.",
    example: {
      vault_id: "8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183",
      user_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      shares: "1000000000000000000",
    },
  });
export type WithdrawInput = z.infer<typeof WithdrawInput>;

/** Message about a missing request id. */
const REQUEST_ID_NEEDED =
  "is required: take it from `requests` in GET /v1/actions/{user_address}/{vault_id} or GET /v1/positions/{user_address}";

/** Request body for claiming or cancelling a request to a vault. */
export const RequestActionInput = z
  .strictObject({
    vault_id: VaultIdInput.meta({
      description: "Vault of the request: `<chain_id>:<vault address>`, in any letter case.",
    }),
    user_address: UserInput.meta({
      description: "Wallet that made the request; not the zero address.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    request_id: z
      .string({ error: ({ input }) => (input === undefined ? REQUEST_ID_NEEDED : undefined) })
      .min(1)
      .max(256)
      .meta({
        description: "Id of the request, as in `requests` of the user's positions and actions.",
        example: "0",
      }),
  })
  .meta({ id: "RequestActionInput", description: "A redemption request to claim or to cancel." });
export type RequestActionInput = z.infer<typeof RequestActionInput>;

/** How a vault pays a withdrawal. */
const ExitModeText = z.enum(["instant", "request", "cooldown"]).meta({
  description:
    "`instant`: paid in the same transaction; `request`: paid after the vault has settled; `cooldown`: claimed after a fixed wait.",
});

/** Figures of one withdrawal mode. */
const OptionFigures = {
  assets: AmountText.nullable().meta({
    description:
      "Amount that the vault is expected to pay after its exit fee, in the smallest unit of the token that it pays, or `null` if unknown. If the vault sets the price later, at the current price.",
  }),
  min_assets: AmountText.nullable().meta({
    description: "Minimum that the vault pays, or `null` if no contract enforces one.",
    example: "995000",
  }),
  exit_fee: AmountText.nullable().meta({
    description:
      "Exit fee of the vault, in the smallest unit of the token that it pays, or `null` if it is unknown.",
    example: "0",
  }),
  to_amount: AmountText.nullable().meta({
    description: "Expected amount of the requested token, or `null` if it is unknown.",
  }),
  to_amount_min: AmountText.nullable().meta({
    description:
      "Minimum amount of that token that is enforced, or `null` if no minimum is enforced. In two steps it is the minimum of the present quote; the second step is quoted again, so another minimum may be enforced then.",
    example: "995000",
  }),
  to_amount_usd: UsdText.nullable().meta({
    description: "Value of `to_amount` in US dollars, or `null` if no price is known.",
    example: "1.00",
  }),
  available_at: TimeText.nullable().meta({
    description: "Earliest time at which a request is paid, or `null` if it is paid at once or unknown.",
  }),
};

const Reasons = z
  .array(
    z.object({
      code: z.string().meta({ description: "Error code.", example: "no_liquidity" }),
      detail: z
        .string()
        .meta({ description: "Explanation.", example: "the vault does not have this much liquidity now" }),
    }),
  )
  .meta({
    description:
      "Why this mode is not possible now, or why routes were rejected; empty if there is no reason.",
  });

/** One withdrawal mode of a vault, with its expected result. */
export const WithdrawOption = z
  .object({
    mode: ExitModeText,
    two_step: z.boolean().nullable().meta({
      description:
        "Whether the requested token takes a second transaction, after the vault has paid, or `null` in a mode that is not possible now.",
      example: false,
    }),
    ...OptionFigures,
    reasons: Reasons,
  })
  .meta({ id: "WithdrawOption", description: "One withdrawal mode of the vault and its expected result." });
export type WithdrawOption = z.infer<typeof WithdrawOption>;

/**
 * Response to a quote request for a withdrawal: the result in every mode that matches the request. The mode that a
 * build would choose comes first. A mode that is not possible now has reasons instead of amounts.
 */
export const WithdrawQuote = z
  .object({
    options: z.array(WithdrawOption).meta({
      description:
        "Withdrawal modes of the vault with their expected results. The mode that a build would take comes first. If the " +
        "vault would pay at once and only the way to the requested token is missing, a build takes another mode only if " +
        "`mode` names it.",
    }),
    warnings: Warnings,
  })
  .meta({ id: "WithdrawQuote", description: "What a withdrawal would give now, by mode." });
export type WithdrawQuote = z.infer<typeof WithdrawQuote>;

/** Result of simulating the first transaction of a withdrawal. */
const WithdrawSimulation = z
  .object({
    block_number: z.int().meta({ description: "Block at which the simulation ran.", example: 41250000 }),
    gas_used: AmountText.meta({ description: "Gas used in the simulation.", example: "240000" }),
    received: AmountText.nullable().meta({
      description:
        "What the user received in the simulation, in the smallest unit of the token received, or `null` if nothing arrives in this transaction or it could not be read.",
    }),
    balance_sufficient: z.boolean().meta({
      description: "Whether the user held the shares at that block.",
      example: true,
    }),
    allowance_sufficient: z.boolean().meta({
      description:
        "Whether the allowance was sufficient at that block, or none is needed; `false` also if it could not be read.",
      example: false,
    }),
    gas_sufficient: z.boolean().nullable().meta({
      description:
        "Whether the submitter's native balance pays for the gas, or `null` if it could not be read.",
      example: true,
    }),
  })
  .meta({
    id: "WithdrawSimulation",
    description: "Result of simulating the transaction before it was returned.",
  });

/** Fields of every response with a transaction to sign. */
const Signable = {
  transaction_request: TransactionRequest.meta({ description: "Transaction to sign and send first." }),
  approval: Approval.nullable().meta({
    description:
      "Approval to send before the transaction unless the allowance is already sufficient, or `null` if the transaction needs no allowance.",
  }),
  steps: Steps,
  calls: z.array(WalletCall).meta({
    description: "Approvals, allowance resets and the transaction, as a list of calls for EIP-5792 wallets.",
  }),
};

/** Response to a build request for a withdrawal. */
export const BuiltWithdrawal = z
  .object({
    ...Signable,
    transaction_request: z.union([TransactionRequest, z.null()]).meta({
      description:
        "Transaction to sign and send first, or `null` while a signature is awaited: " +
        "`POST /v1/withdrawals/{tracking_id}/authorize` then returns it.",
    }),
    authorize: ChosenWay,
    tracking: Tracking.meta({ description: "Chains and bridge of the withdrawal." }),
    tracking_id: TrackingIdText,
    mode: ExitModeText,
    two_step: z.boolean().meta({
      description: "Whether a second transaction must swap or bridge what the vault paid.",
      example: false,
    }),
    estimate: z
      .object({
        shares: AmountText.meta({ description: "Shares that are redeemed.", example: "944000000000000000" }),
        ...OptionFigures,
        ...AppliedSlippage,
      })
      .meta({ description: "Expected and minimum amounts of the withdrawal." }),
    simulation: WithdrawSimulation.meta({
      description: "Result of simulating the transaction before it was returned.",
    }),
    warnings: Warnings,
    expires_at: TimeText.meta({
      description: "Time until which the transaction may be sent. After it, build the withdrawal again.",
    }),
  })
  .meta({
    id: "BuiltWithdrawal",
    description: "A built withdrawal, whose transaction is ready to be signed.",
  });
export type BuiltWithdrawal = z.infer<typeof BuiltWithdrawal>;

/** Response to a build request for the claim or cancellation of a request to a vault. */
export const BuiltRequestAction = z
  .object({
    ...Signable,
    simulation: WithdrawSimulation.meta({
      description: "Result of simulating the transaction before it was returned.",
    }),
    warnings: Warnings,
  })
  .meta({ id: "BuiltRequestAction", description: "A claim or cancellation that is ready to be signed." });
export type BuiltRequestAction = z.infer<typeof BuiltRequestAction>;
