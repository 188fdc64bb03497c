import { getAddress, type Hex } from "viem";
import * as z from "zod";
import { RpcWord } from "../../../chains/rpc-values.ts";
import { MAX_UINT256 } from "../../../lib/amount.ts";

/** Maximum length of calldata as text, in characters: `0x` and two hex digits for each of 128 KiB. */
const MAX_DATA = 2 * 128 * 1024 + 2;
const MAX_STEPS = 16;
const MAX_COSTS = 64;

const Amount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .transform(BigInt)
  .refine((amount) => amount <= MAX_UINT256);
const Quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const AddressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => getAddress(text));
const Data = z
  .string()
  .max(MAX_DATA)
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase() as Hex);
const ChainId = z.int().positive();
const Text = z.string().max(512);
/**
 * Returns a schema for an optional field that is not part of the transaction: an invalid value becomes null instead of
 * invalidating the route.
 */
const displayed = <S extends z.ZodType>(schema: S) => schema.nullish().catch(null);

/**
 * Schema of a token in a LI.FI response. The address is plain text, because LI.FI also lists tokens of non-EVM chains;
 * the zero address is the native currency.
 */
export const LifiToken = z.object({
  chainId: ChainId,
  address: z.string().min(1).max(128),
  symbol: z.string().max(64),
  decimals: z.int().min(0).max(255),
  name: Text.nullish(),
});
/** A token in a parsed LI.FI response. */
export type LifiToken = z.infer<typeof LifiToken>;

/** Decimals, symbol and name of a step's tokens are not used, so that they may be missing. */
const ActionToken = LifiToken.pick({ chainId: true, address: true });

const Action = z.object({
  fromChainId: ChainId,
  toChainId: ChainId,
  fromToken: ActionToken,
  toToken: ActionToken,
  fromAmount: Amount,
  fromAddress: Text.nullish(),
  toAddress: Text.nullish(),
});

/**
 * Schema of one of a step's fees. `included` fees are already deducted from the amounts. An invalid entry becomes null.
 */
const FeeCost = displayed(
  z.object({
    token: z.object({ chainId: ChainId, address: z.string().max(128) }),
    amount: Amount,
    included: z.boolean(),
  }),
);
const GasCost = z.object({ estimate: displayed(z.string().max(64)) });

const Estimate = z.object({
  fromAmount: Amount,
  toAmount: Amount,
  toAmountMin: Amount,
  approvalAddress: AddressText,
  executionDuration: displayed(z.number().min(0).max(31_536_000)),
  feeCosts: displayed(z.array(FeeCost).max(MAX_COSTS)),
  gasCosts: displayed(z.array(GasCost).max(MAX_COSTS)),
});

const IncludedStep = z.object({
  type: z.string().max(64),
  tool: z.string().max(64),
  estimate: z.object({ toAmount: Amount, toAmountMin: Amount }).optional(),
});

const TransactionRequest = z.object({
  to: AddressText,
  from: AddressText,
  data: Data,
  value: Quantity.default(0n),
  chainId: ChainId,
});

const Step = z.object({
  tool: z.string().min(1).max(64),
  toolDetails: displayed(z.object({ logoURI: displayed(z.string().max(2048)) })),
  action: Action,
  estimate: Estimate,
  includedSteps: z.array(IncludedStep).max(MAX_STEPS).default([]),
});
/**
 * One step of a LI.FI route: a bridge transfer or a swap. Amounts are in the smallest unit of their token,
 * `executionDuration` is in seconds; logo, duration, fees and gas costs are null if invalid, undefined if missing.
 */
export type LifiStep = z.infer<typeof Step>;

/**
 * Schema of a `GET /quote` or `POST /quote/contractCalls` response, limited to the fields that are used: a step and its
 * transaction, whose `value` is in wei and zero if missing.
 */
export const LifiQuote = Step.extend({ transactionId: RpcWord, transactionRequest: TransactionRequest });
/** A parsed LI.FI quote: a step with its transaction. */
export type LifiQuote = z.infer<typeof LifiQuote>;

/** Schema of the error of a LI.FI tool that gave no quote. It is the same in both shapes of `errors`. */
export const LifiToolError = z.object({ code: z.string().max(64), tool: z.string().max(64).optional() });
const Unavailable = z.object({
  filteredOut: z.array(z.object({ reason: z.string().optional() })).default([]),
  failed: z
    .array(z.object({ subpaths: z.record(z.string(), z.array(LifiToolError)).default({}) }))
    .default([]),
});

/**
 * Schema of the body of a LI.FI error response. `errors` is either a list of tool errors, or the lists of
 * filtered and failed paths.
 */
export const LifiErrorBody = z.object({
  code: z.number().nullish().catch(null),
  errors: z
    .union([z.array(LifiToolError), Unavailable])
    .nullish()
    .catch(null),
});
/** The parsed body of a LI.FI error response. */
export type LifiErrorBody = z.infer<typeof LifiErrorBody>;

const Route = z.object({ steps: z.array(Step).min(1).max(MAX_STEPS) });
/** A route from a parsed `POST /advanced/routes` response. */
export type LifiRoute = z.infer<typeof Route>;

/**
 * Schema of the used fields of a `POST /advanced/routes` response. A route that does not match its schema becomes null
 * and does not invalidate the others. `unavailableRoutes` is like `errors` in `LifiErrorBody`.
 */
export const LifiRoutes = z.object({
  routes: z.array(Route.nullable().catch(null)).max(64),
  unavailableRoutes: z.unknown().optional(),
});

/** Schema of the used fields of a `GET /tools` response: bridges with the chain pairs that they connect. */
export const LifiTools = z.object({
  bridges: z.array(
    z.object({
      key: z.string().max(64),
      name: Text,
      logoURI: z.string().max(2048).nullish(),
      supportedChains: z.array(z.object({ fromChainId: ChainId, toChainId: ChainId })),
    }),
  ),
});

/** Schema of a `GET /tokens` response: lists of tokens by chain id. */
export const LifiTokens = z.object({ tokens: z.record(z.string(), z.array(LifiToken)) });

/**
 * Schema of the used fields of a `GET /chains` response: chain ids with the address of LI.FI's Diamond, if LI.FI
 * states one.
 */
export const LifiChains = z.object({
  chains: z.array(z.object({ id: ChainId, diamondAddress: z.string().max(128).nullish() })),
});

const Leg = z.object({
  txHash: z.string().max(128).nullish(),
  chainId: ChainId.nullish(),
  amount: z.string().max(80).nullish(),
});

/**
 * Schema of the used fields of a `GET /status` response. Every field except `status` may be missing; texts are not
 * interpreted.
 */
export const LifiStatus = z.object({
  status: z.string().max(64),
  substatus: z.string().max(64).nullish(),
  sending: Leg.nullish(),
  receiving: Leg.nullish(),
  lifiExplorerLink: z.string().max(512).nullish(),
});
/** A parsed `GET /status` response: LI.FI's status of a transfer and its transactions. */
export type LifiStatus = z.infer<typeof LifiStatus>;
