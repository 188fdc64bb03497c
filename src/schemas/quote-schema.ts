import { zeroAddress } from "viem";
import * as z from "zod";
import {
  AddressInput,
  AddressText,
  AmountInput,
  AmountText,
  ChainIdInput,
  ChainIdNumber,
  TimeText,
  TrackingIdInput,
  TrackingIdText,
  VaultIdInput,
} from "./primitive-schemas.ts";
import { Approval, TransactionRequest, WalletCall } from "./transaction-schema.ts";
import { VaultSummary } from "./vault-schema.ts";

/** The bridges a caller may prefer: those whose calldata we decode. */
export const bridgeKeys = ["across", "stargate", "stargate_bus", "cctp", "cctp_fast"] as const;

/** Body of quote and build. Unknown members are ignored. */
export const BuildInput = z
  .object({
    from_chain_id: ChainIdInput.meta({ description: "EIP-155 id of the chain that the user pays on." }),
    from_token: AddressInput.meta({
      description:
        "Token that the user pays with; for the native token the zero address or " +
        "`0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE`.",
    }),
    from_amount: AmountInput.meta({ description: "Amount to pay, in the smallest unit of `from_token`." }),
    vault_id: VaultIdInput.meta({
      description:
        "Vault to deposit into: `<chain_id>:<vault address>`, in any letter case; `%3A` is accepted for the colon.",
    }),
    user_address: AddressInput.refine(
      (address) => address !== zeroAddress,
      "must not be the zero address",
    ).meta({
      description: "Wallet that pays and receives the shares; not the zero address.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    slippage: z.number().gt(0).max(0.5).default(0.03).meta({
      description:
        "Slippage tolerance: the largest total loss between the expected value and the shares received, as a fraction.",
      example: 0.01,
    }),
    referrer: AddressInput.default(zeroAddress).meta({
      description: "Address that referred the user. Default: the zero address, for none.",
      example: "0x0000000000000000000000000000000000000000",
    }),
    referrer_handle: z.string().max(64).default("").meta({
      description: "Handle that referred the user.",
      example: "alice",
    }),
    parent_tracking_id: TrackingIdInput.optional().meta({
      description: "Tracking id of an earlier deposit of the same user that this one belongs to.",
    }),
    preferred_bridge: z.enum(bridgeKeys).optional().meta({
      description:
        "Key of the bridge to prefer (`GET /v1/bridges`). A preference only: another bridge is used when it has no route.",
    }),
    partner_id: z
      .string()
      .max(64)
      .default("")
      .meta({
        description:
          "Id of the partner; must be the API key's own when a key is sent. Recorded on chain as the keccak256 of its UTF-8 " +
          "bytes, or as zero when empty.",
        example: "ptr_0123456789abcdef0123456789abcdef",
      }),
    partner_type: z.int().min(0).max(2).default(0).meta({
      description: "Kind of partner: 0 direct, 1 creator, 2 wallet.",
      example: 2,
    }),
  })
  .meta({ id: "BuildInput", description: "The deposit to quote or to build." });
export type BuildInput = z.infer<typeof BuildInput>;

const Arrival = {
  to_amount: AmountText.meta({
    description:
      "Amount expected to arrive on the vault's chain, in the smallest unit of the token that arrives.",
  }),
  to_amount_min: AmountText.meta({
    description: "Least amount that arrives, in the smallest unit of the token that arrives.",
    example: "970000",
  }),
  deposit_amount: AmountText.meta({
    description: "Amount expected to be deposited, in the smallest unit of the token that the vault takes.",
  }),
};

const ExpectedShares = {
  estimated_shares: AmountText.meta({
    description: "Shares expected, in the share token's smallest unit.",
    example: "950000000000000000",
  }),
  min_shares: AmountText.nullable().meta({
    description:
      "Least shares minted, in the share token's smallest unit; `null` when nothing on chain enforces a minimum.",
    example: "921500000000000000",
  }),
};

/** What a built deposit is expected to give, and the least that is accepted. */
export const BuildEstimate = z.object({ ...Arrival, ...ExpectedShares }).meta({
  id: "BuildEstimate",
  description: "What a deposit is expected to give, and the least that is accepted.",
});
export type BuildEstimate = z.infer<typeof BuildEstimate>;

const SimulationLeg = z.object({
  block_number: z.int().meta({ description: "Block whose state the simulation ran on.", example: 41250000 }),
  gas_used: AmountText.meta({ description: "Gas used in the simulation.", example: "240000" }),
  shares: AmountText.nullable().meta({
    description:
      "Shares minted in the simulation, in the share token's smallest unit; `null` when it minted none.",
    example: "950000000000000000",
  }),
});

/** Result of running the transaction from the user's address before it is returned. */
export const SimulationSummary = SimulationLeg.extend({
  balance_sufficient: z.boolean().meta({
    description: "Whether the user's balance covered the payment at that block.",
    example: true,
  }),
  allowance_sufficient: z.boolean().meta({
    description: "Whether the user's allowance covered the payment at that block.",
    example: false,
  }),
  destination: SimulationLeg.nullable().meta({
    description:
      "Simulation of the part on the vault's chain, or of the second step; `null` when the transaction itself deposits.",
  }),
}).meta({
  id: "Simulation",
  description: "Result of running the transaction from the user's address before it was returned.",
});

/** Where the funds of a built deposit go, and over what. */
export const Tracking = z
  .object({
    from_chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the chain that the user pays on." }),
    to_chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    bridge: z.string().nullable().meta({
      description:
        "Key of the bridge that is used (`GET /v1/bridges`), preferred or not; `null` when none is.",
      example: "across",
    }),
    router_explorer: z.string().nullable().meta({
      description: "URL of the bridge's page for the transfer; `null` when there is none.",
      example: "https://scan.li.fi/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    }),
  })
  .meta({ id: "Tracking", description: "The way that the funds of a deposit take." });

const PaymentApproval = Approval.nullable().meta({
  description:
    "Approval to send before the transaction; `null` when none is needed, as for the native token.",
});

/** A deposit that is ready to be signed. */
export const BuiltDeposit = z
  .object({
    transaction_request: TransactionRequest.meta({ description: "Transaction to sign and send first." }),
    tracking: Tracking.meta({ description: "Chains and bridge that the funds travel over." }),
    approval: PaymentApproval,
    tracking_id: TrackingIdText,
    two_step: z.boolean().default(false).meta({
      description:
        "Whether the user signs a second transaction on the vault's chain once the funds have arrived.",
      example: false,
    }),
    deposit_tx: z
      .object({
        transaction_request: TransactionRequest.meta({ description: "Transaction to sign and send second." }),
        approval: PaymentApproval,
      })
      .nullable()
      .meta({
        description:
          "Second transaction on the vault's chain, as foreseen now; its current form is in `GET " +
          "/v1/deposits/{tracking_id}`. `null` when one step suffices.",
      }),
    estimate: BuildEstimate.meta({
      description: "What the deposit is expected to give, and the least that is accepted.",
    }),
    expires_at: TimeText.meta({
      description: "Time until which the transaction may be sent; build again after it.",
    }),
    simulation: SimulationSummary.meta({
      description: "Result of running the transaction from the user's address before it was returned.",
    }),
    calls: z.array(WalletCall).meta({
      description: "The approvals, allowance resets and transaction as a call list for EIP-5792 wallets.",
    }),
  })
  .meta({ id: "BuiltDeposit", description: "A deposit that is ready to be signed." });
export type BuiltDeposit = z.infer<typeof BuiltDeposit>;

/** The kinds of quotes. */
export const quoteTypes = ["direct", "same_chain_swap", "cross_chain"] as const;

const Costs = {
  estimated_time: z.int().nullable().meta({
    description: "Duration that the provider expects, in seconds; `null` when it gives none.",
    example: 12,
  }),
  gas_cost_usd: z.string().nullable().meta({
    description: "Gas cost in US dollars by the provider's own figures; `null` when it gives none.",
    example: "0.12",
  }),
};

/** One way to make the deposit. */
export const RouteOption = z
  .object({
    bridge: z.string().nullable().meta({
      description: "Key of the bridge (`GET /v1/bridges`); `null` when none is used.",
      example: "across",
    }),
    bridge_name: z.string().nullable().meta({
      description: "Display name of the bridge; `null` when none is used.",
      example: "Across",
    }),
    bridge_logo: z.string().nullable().meta({
      description: "URL of the bridge's logo; `null` when there is none.",
      example: "https://bridge.example/across.svg",
    }),
    ...Arrival,
    ...Costs,
    tags: z.array(z.string()).meta({
      description:
        "What sets the route apart: `recommended`, `direct`, `best_output`, `fastest`, `cheapest`, `one_transaction`, " +
        "`two_step`.",
      example: ["recommended", "one_transaction"],
    }),
  })
  .meta({ id: "RouteOption", description: "One route that a deposit can take." });

/** What a deposit would give. */
export const Quote = z
  .object({
    quote_type: z.enum(quoteTypes).meta({
      description:
        "Kind of route. `direct`: a token that the vault takes is paid on its chain; `same_chain_swap`: another token is " +
        "swapped on its chain; `cross_chain`: the payment comes from another chain.",
    }),
    vault: VaultSummary.meta({ description: "Vault that would be deposited into." }),
    estimate: z
      .object({
        from_amount: AmountText.meta({
          description: "Amount to pay, in the smallest unit of the token paid with.",
        }),
        from_amount_usd: z.string().nullable().meta({
          description:
            "Value of the payment in US dollars by the provider's own figures; `null` when it gives none.",
          example: "1.00",
        }),
        ...Arrival,
        ...ExpectedShares,
        price_impact: z
          .string()
          .nullable()
          .meta({
            description:
              "Part of the value lost on the way, as a fraction of the payment by the provider's own figures; negative when " +
              "more arrives, `null` when it gives none.",
            example: "0.0025",
          }),
        ...Costs,
        steps: z
          .array(
            z.object({
              type: z
                .string()
                .meta({ description: "Kind of step: `swap`, `bridge` or `deposit`.", example: "bridge" }),
              chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the chain that the step runs on." }),
              tool: z.string().meta({
                description: "What performs the step: the exchange, the bridge or the vault's adapter.",
                example: "across",
              }),
              to: AddressText.meta({
                description: "Contract that the step calls, checksummed.",
                example: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
              }),
            }),
          )
          .meta({ description: "Steps of the route, in order." }),
      })
      .meta({ description: "What the deposit is expected to give, and the least that is accepted." }),
    approval: PaymentApproval,
    route_options: z.array(RouteOption).meta({
      description: "Every route that was offered; the one that build would take comes first.",
    }),
    reasons: z
      .array(
        z.object({
          code: z
            .string()
            .meta({ description: "Error code of the rejected route.", example: "upstream_timeout" }),
          detail: z.string().meta({
            description: "Explanation of the rejection.",
            example: "the provider did not answer in time",
          }),
        }),
      )
      .meta({ description: "Why the other routes were rejected." }),
  })
  .meta({ id: "Quote", description: "What a deposit would give, from a simulation on current state." });
export type Quote = z.infer<typeof Quote>;
