import * as z from "zod";
import {
  AddressText,
  AmountText,
  ChainIdNumber,
  TimeText,
  TrackingIdText,
  UsdText,
} from "./primitive-schemas.ts";
import { Steps, Warning } from "./step-schema.ts";
import { Approval, TransactionRequest, WalletCall } from "./transaction-schema.ts";
import { VaultSettlement, VaultSummary } from "./vault-schema.ts";

const Warnings = z
  .array(Warning)
  .default([])
  .meta({ description: "Warnings to show before signing; empty if there are none.", example: [] });

/** Field for the value of the payment in US dollars. */
const Payment = {
  from_amount_usd: UsdText.nullable().meta({
    description: "Value of the payment in US dollars, or `null` if no price of the token is known.",
    example: "1.00",
  }),
};

/** Fields with the amounts that arrive on the vault's chain and are deposited. */
const Arrival = {
  to_amount: AmountText.meta({
    description:
      "Amount expected to arrive on the vault's chain, in the smallest unit of the token that arrives.",
  }),
  to_amount_min: AmountText.meta({
    description:
      "Minimum amount that arrives on the vault's chain, in the smallest unit of the token that arrives.",
    example: "970000",
  }),
  deposit_amount: AmountText.meta({
    description: "Amount expected to be deposited, in the smallest unit of the token that is deposited.",
  }),
};

/** Field with the least amount of the vault's call in a prepared deposit. */
const LeastDeposit = {
  deposit_amount_min: AmountText.meta({
    description: "Minimum amount deposited, in the smallest unit of the token that is deposited.",
    example: "970000",
  }),
};

/** Fields with the expected and the minimum number of shares. */
const ExpectedShares = {
  estimated_shares: AmountText.meta({
    description: "Expected number of shares, in the share token's smallest unit.",
    example: "944000000000000000",
  }),
  min_shares: AmountText.nullable().meta({
    description:
      "Minimum number of shares minted, in the share token's smallest unit, or `null` if no minimum is enforced on-chain. In two steps it is that of the quote, which no contract enforces: the second step has its own when it is built.",
    example: "939280000000000000",
  }),
};

/** Response field with the total loss that a built order tolerates, as a fraction. */
export const AppliedSlippage = {
  slippage_applied: z.number().meta({
    description:
      "Total loss between the expected and the guaranteed amount that was applied, as a fraction: the requested slippage, or at most 0.005 without a swap or bridge.",
    example: 0.005,
  }),
};

/**
 * Amounts of a built deposit: the payment's value, and the expected and minimum amounts of the delivered token, of the
 * deposit and of shares.
 */
export const BuildEstimate = z
  .object({
    ...{ ...Payment, ...Arrival, ...LeastDeposit, ...ExpectedShares },
    slippage_applied: z.number().meta({
      description:
        "Slippage tolerance that was applied, as a fraction: `slippage`, but at most 0.005 where nothing is swapped or bridged.",
      example: 0.005,
    }),
  })
  .meta({ id: "BuildEstimate", description: "Expected and minimum amounts of a deposit." });
export type BuildEstimate = z.infer<typeof BuildEstimate>;

/** Result of simulating the part of a deposit on one chain. */
const SimulationLeg = z.object({
  block_number: z.int().meta({ description: "Block at which the simulation ran.", example: 41250000 }),
  gas_used: AmountText.meta({ description: "Gas used in the simulation.", example: "240000" }),
  shares: AmountText.nullable().meta({
    description:
      "Shares minted in the simulation, in the share token's smallest unit, or `null` if none were minted.",
    example: "944000000000000000",
  }),
});

/** Result of the simulation of a built transaction. */
export const SimulationSummary = SimulationLeg.extend({
  balance_sufficient: z.boolean().meta({
    description: "Whether the user's balance was sufficient for the payment at that block.",
    example: true,
  }),
  allowance_sufficient: z.boolean().meta({
    description:
      "Whether the user's allowance was sufficient for the payment at that block; `false` also if it could not be read.",
    example: false,
  }),
  gas_sufficient: z
    .boolean()
    .nullable()
    .default(null)
    .meta({
      description:
        "Whether the submitter's native balance, less the native amount that the transaction takes, pays for the gas of the " +
        "transaction and its approvals at the current gas price, or `null` if it could not be read.",
      example: true,
    }),
  destination: SimulationLeg.nullable().meta({
    description:
      "Simulation of the deposit on the vault's chain or in the second step, or `null` if the first transaction deposits.",
  }),
}).meta({
  id: "Simulation",
  description: "Result of simulating the transaction before it was returned.",
});

/**
 * Source chain, destination chain and bridge of a built deposit or withdrawal. A deposit leads to the vault's chain; a
 * withdrawal starts there.
 */
export const Tracking = z
  .object({
    from_chain_id: ChainIdNumber.meta({
      description: "EIP-155 id of the chain on which the user sends the first transaction.",
    }),
    to_chain_id: ChainIdNumber.meta({
      description:
        "EIP-155 id of the chain that receives the money: the vault's, or the payout's of a withdrawal.",
    }),
    bridge: z.string().nullable().meta({
      description: "Key of the bridge that is used (`GET /v1/bridges`), or `null` if none is used.",
      example: "across",
    }),
    router_explorer: z.string().nullable().meta({
      description: "URL of the bridge's page for the transfer, or `null` if there is none.",
      example: "https://scan.li.fi/tx/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    }),
  })
  .meta({ id: "Tracking", description: "Chains and bridge of a deposit or withdrawal." });

/** Approval that a payment needs, or null if it needs none. */
const PaymentApproval = Approval.nullable().meta({
  description:
    "Approval to send before the transaction unless the allowance is already sufficient, or `null` if the payment needs no allowance, for example in the native currency or with a signature.",
});

/** How the user authorizes the payment: by an approval or by a kind of signature. */
export const ChosenWay = z.enum(["approve", "erc3009", "permit2", "permit"]).default("approve").meta({
  description:
    "How the user authorizes the payment: by an approval (`approve`, also if none is needed), or by a signature of this kind.",
  example: "approve",
});

/** Response to a build request: a deposit with its steps, estimate and simulation. */
export const BuiltDeposit = z
  .object({
    transaction_request: z.union([TransactionRequest, z.null()]).meta({
      description:
        "Transaction to sign and send first, or `null` while a signature is awaited: `POST /v1/deposits/{tracking_id}/authorize` " +
        "then returns it.",
    }),
    authorize: ChosenWay,
    tracking: Tracking.meta({ description: "Chains and bridge of the deposit." }),
    approval: PaymentApproval,
    tracking_id: TrackingIdText,
    two_step: z.boolean().default(false).meta({
      description:
        "Whether the user has to sign a second transaction on the vault's chain once the funds have arrived.",
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
          "Second transaction on the vault's chain, as expected now, or `null` if one transaction is enough. " +
          "`GET /v1/deposits/{tracking_id}` returns the current transaction.",
      }),
    estimate: BuildEstimate.meta({
      description: "Expected and minimum amounts of the deposit.",
    }),
    settlement: VaultSettlement.meta({
      description: "How this deposit and withdrawals from the vault are settled.",
    }),
    steps: Steps.default([]),
    expires_at: TimeText.meta({
      description: "Time until which the transaction may be sent. After it, build the deposit again.",
    }),
    simulation: SimulationSummary.meta({
      description: "Result of simulating the transaction before it was returned.",
    }),
    calls: z.array(WalletCall).meta({
      description:
        "Approvals, allowance resets and the transaction, as a list of calls for EIP-5792 wallets.",
    }),
    warnings: Warnings,
  })
  .meta({ id: "BuiltDeposit", description: "A built deposit, whose transaction is ready to be signed." });
export type BuiltDeposit = z.infer<typeof BuiltDeposit>;

/** Kinds of routes that a quote can have. */
export const quoteTypes = ["direct", "same_chain_swap", "cross_chain", "move"] as const;

/** Fields with the expected duration and gas cost of a route. */
const Costs = {
  estimated_time: z.int().nullable().meta({
    description: "Duration that the provider estimates, in seconds, or `null` if it estimates none.",
    example: 12,
  }),
  gas_cost_usd: UsdText.nullable().meta({
    description:
      "Gas cost of the transactions to sign, without approvals, in US dollars, or `null` if it is unknown.",
    example: "0.12",
  }),
};

const Named = z.string().nullable();
/** One route that a deposit can take, as a quote lists it. */
export const RouteOption = z
  .object({
    provider: Named.meta({ description: "Provider of the route, or `null`.", example: "lifi" }),
    bridge: z.string().nullable().meta({
      description: "Key of the bridge (`GET /v1/bridges`), or `null` if none is used.",
      example: "across",
    }),
    bridge_name: Named.meta({ description: "Name of the bridge, or `null`.", example: "Across" }),
    bridge_logo: z.string().nullable().meta({
      description: "URL of the bridge's logo, or `null` if there is none.",
      example: "https://bridge.example/across.svg",
    }),
    ...Arrival,
    ...Costs,
    tags: z.array(z.string()).meta({
      description:
        "Properties of the route: `recommended`, `direct`, `best_output` (highest `to_amount`), `fastest`, `cheapest`, " +
        "`one_transaction`, `two_step`.",
      example: ["recommended", "one_transaction"],
    }),
  })
  .meta({ id: "RouteOption", description: "One route that a deposit can take." });

/** Response to a quote request: the expected result of a deposit, and the routes that it can take. */
export const Quote = z
  .object({
    quote_type: z.enum(quoteTypes).meta({
      description:
        "Kind of route. `direct`: the user pays with a token that the vault accepts, on its chain; `same_chain_swap`: the " +
        "token is swapped on the vault's chain first; `cross_chain`: the user pays on another chain; `move`: the user pays with " +
        "the shares of another vault, which are redeemed first.",
    }),
    vault: VaultSummary.meta({ description: "Vault that receives the deposit." }),
    estimate: z
      .object({
        from_amount: AmountText.meta({
          description: "Amount to pay, in the smallest unit of the token that the user pays with.",
        }),
        ...Payment,
        ...{ ...Arrival, ...LeastDeposit, ...ExpectedShares },
        price_impact: z.string().nullable().meta({
          description:
            "Value lost in swaps and bridges, as a fraction of the payment's value. Negative if the value rises, `null` if a price is unknown, for a direct deposit, and for a move on one chain.",
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
                description: "Tool that performs the step: an exchange, a bridge or the vault's adapter.",
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
      .meta({ description: "Expected and minimum amounts of the deposit." }),
    approval: PaymentApproval,
    authorize: ChosenWay,
    route_options: z.array(RouteOption).meta({
      description:
        "Routes with a fair price. The route that a build would take comes first; `reasons` has the rejected ones.",
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
    warnings: Warnings,
  })
  .meta({ id: "Quote", description: "Expected result of a deposit, from a simulation at the latest block." });
export type Quote = z.infer<typeof Quote>;
