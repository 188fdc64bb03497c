import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  isAddress,
  stringToHex,
} from "viem";
import { z } from "zod";
import { metaAggregationRouterAbi } from "#stand-ins/kyber";
import { type BridgeChain, isNative } from "../../bridge/bridge-chains.ts";
import { invalidField, SwapRefusal } from "./errors.ts";
import { listed } from "./find-route.ts";

const BPS = 10_000;
const DEFAULT_DEADLINE_S = 1_200;
const MAX_SLIPPAGE_BPS = 2_000;
/** Flags of the router: it takes the source token; it swaps in simple mode. */
const FLAGS = { swap: 0x04n, simple: 0x20n } as const;
/** Source token whose swaps use the simple mode, so that both functions are tested. */
const SIMPLE_MODE_ASSET = "WBTC";

const Summary = z.looseObject({
  tokenIn: z.string(),
  tokenOut: z.string(),
  amountIn: z.string(),
  amountInUsd: z.string(),
  amountOut: z.string(),
  amountOutUsd: z.string(),
  gas: z.string(),
  gasUsd: z.string(),
  checksum: z.string(),
});
const Body = z.looseObject({
  routeSummary: z.looseObject({ route: z.array(z.unknown()).optional() }),
  sender: z.string().optional(),
  recipient: z.string().optional(),
  slippageTolerance: z.number().default(0),
  deadline: z.int().optional(),
  source: z.string().default("local"),
  ignoreCappedSlippage: z.boolean().default(false),
});

interface BuildRequest {
  text: string;
  issued: ReadonlyMap<string, string>;
  aheadSeconds: number;
}

/**
 * Returns the response with the transaction of a route, as text. `issued` has the text of every issued route by its
 * checksum. The transaction's deadline is moved by `aheadSeconds`, the chain's lead over the wall clock, which a public
 * chain does not have. Throws the API's errors: `4000`, `4002`, `4003`. Source: `POST /{chain}/api/v1/route/build`.
 */
export function buildRoute(chain: BridgeChain, { text, issued, aheadSeconds }: BuildRequest): string {
  const body = readBody(text);
  if ((body.routeSummary.route ?? []).length === 0) throw invalidField("route.route", "empty route");
  const summary = Summary.safeParse(body.routeSummary);
  const known = summary.success ? issued.get(summary.data.checksum) : undefined;
  if (!summary.success || known === undefined || !text.includes(known))
    throw new SwapRefusal(4003, { message: "invalid route" });
  const { recipient, deadline } = checkTerms(body);
  const { amountIn, amountInUsd, amountOut, amountOutUsd, gas, gasUsd } = summary.data;
  const [from, to] = [
    listed(chain, addressIn(summary.data.tokenIn)),
    listed(chain, addressIn(summary.data.tokenOut)),
  ];
  const least = (BigInt(amountOut) * BigInt(BPS - Math.floor(body.slippageTolerance))) / BigInt(BPS);
  const swap: EncodedSwap = {
    tokenIn: from.address,
    tokenOut: to.address,
    amount: BigInt(amountIn),
    least,
    recipient,
    deadline: BigInt(deadline + aheadSeconds),
    source: body.source,
    desc: { srcToken: addressIn(summary.data.tokenIn), dstToken: addressIn(summary.data.tokenOut) },
  };
  return JSON.stringify({
    code: 0,
    message: "successfully",
    data: {
      ...{ amountIn, amountInUsd, amountOut, amountOutUsd, gas, gasUsd },
      outputChange: { amount: "0", percent: 0, level: 0 },
      data: encodeSwap(chain, { swap, simple: from.asset === SIMPLE_MODE_ASSET }),
      routerAddress: chain.contracts.kyberRouter,
      transactionValue: isNative(from) ? amountIn : "0",
    },
    requestId: "local",
  });
}

const addressIn = (text: string): Address => text as Address;

function readBody(text: string): z.output<typeof Body> {
  try {
    return Body.parse(JSON.parse(text));
  } catch {
    throw new SwapRefusal(4002, { message: "unable to bind request body" });
  }
}

function checkTerms(body: z.output<typeof Body>): { recipient: Address; deadline: number } {
  const { slippageTolerance: slippage, recipient, ignoreCappedSlippage } = body;
  const most = ignoreCappedSlippage ? BPS : MAX_SLIPPAGE_BPS;
  if (slippage < 0 || slippage > most) throw invalidField("slippageTolerance", "invalid");
  const now = Math.floor(Date.now() / 1000);
  const deadline = body.deadline ?? now + DEFAULT_DEADLINE_S;
  if (deadline < now) throw invalidField("deadline", "in the past");
  if (recipient === undefined || recipient === "") throw invalidField("recipient", "required");
  if (!isAddress(recipient, { strict: false })) throw invalidField("recipient", "invalid");
  return { recipient, deadline };
}

interface EncodedSwap {
  tokenIn: Address;
  tokenOut: Address;
  amount: bigint;
  least: bigint;
  recipient: Address;
  deadline: bigint;
  source: string;
  /** The tokens as the router names them. */
  desc: { srcToken: Address; dstToken: Address };
}

function encodeSwap(chain: BridgeChain, { swap, simple }: { swap: EncodedSwap; simple: boolean }): Hex {
  const { kyberExecutor } = chain.contracts;
  const sequence = encodeSequence(swap);
  const clientData = stringToHex(JSON.stringify({ Source: swap.source }));
  const desc = {
    ...swap.desc,
    srcReceivers: simple ? [] : [kyberExecutor],
    srcAmounts: simple ? [] : [swap.amount],
    feeReceivers: [],
    feeAmounts: [],
    dstReceiver: swap.recipient,
    amount: swap.amount,
    minReturnAmount: swap.least,
    flags: simple ? FLAGS.simple : FLAGS.swap,
    permit: "0x" as const,
  };
  if (simple) {
    const data = encodeSimpleData({ pool: kyberExecutor, sequence, swap });
    const args = [kyberExecutor, desc, data, clientData] as const;
    return encodeFunctionData({ abi: metaAggregationRouterAbi, functionName: "swapSimpleMode", args });
  }
  const execution = {
    callTarget: kyberExecutor,
    approveTarget: "0x0000000000000000000000000000000000000000",
    targetData: sequence,
    desc,
    clientData,
  } as const;
  return encodeFunctionData({ abi: metaAggregationRouterAbi, functionName: "swap", args: [execution] });
}

const sequenceParameters = [
  { type: "address" },
  { type: "address" },
  { type: "uint256" },
  { type: "address" },
  { type: "uint256" },
] as const;

const encodeSequence = ({ tokenIn, tokenOut, amount, recipient, deadline }: EncodedSwap): Hex =>
  encodeAbiParameters(sequenceParameters, [tokenIn, tokenOut, amount, recipient, deadline]);

const simpleParameters = [
  {
    type: "tuple",
    components: [
      { name: "firstPools", type: "address[]" },
      { name: "firstSwapAmounts", type: "uint256[]" },
      { name: "swapDatas", type: "bytes[]" },
      { name: "deadline", type: "uint256" },
      { name: "destTokenFeeData", type: "bytes" },
    ],
  },
] as const;

function encodeSimpleData(of: { pool: Address; sequence: Hex; swap: EncodedSwap }): Hex {
  const { pool, sequence, swap } = of;
  return encodeAbiParameters(simpleParameters, [
    {
      firstPools: [pool],
      firstSwapAmounts: [swap.amount],
      swapDatas: [sequence],
      deadline: swap.deadline,
      destTokenFeeData: "0x",
    },
  ]);
}
