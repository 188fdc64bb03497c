import { encodeFunctionData, erc4626Abi, type Hex, type TransactionReceipt, zeroAddress } from "viem";
import { send } from "../../../scripts/stack/chains/scratch-chain.ts";
import { fetchTransaction } from "../../../src/chains/chain-transaction.ts";
import { createAcross } from "../../../src/providers/across/across-provider.ts";
import {
  type AcrossDeposit,
  findAcrossDeposit,
} from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import type {
  DestinationCall,
  Provider,
  ProviderStatus,
  TransferRequest,
  VerifiedTransfer,
} from "../../../src/providers/provider.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { encodeRouterCall, spendingStep } from "../../../src/router/router-codec.ts";
import {
  approve,
  type BridgedChain,
  fillTransaction,
  mint,
  startBridged,
  type TokenSymbol,
} from "./bridge.ts";
import { type Api, type ApiRequest, type Reply, startApi } from "./emulator.ts";
import { hash, scopeOf, USER } from "./stage.ts";

/** Two chains, the bridge between them, its API, and the provider that uses it. */
export interface World {
  source: BridgedChain;
  target: BridgedChain;
  api: Api;
  across: Provider;
  close(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const [source, target, api] = await Promise.all([startBridged(31337), startBridged(31338), startApi()]);
  const deployments = [source.deployment, target.deployment];
  const across = createAcross({ apiUrl: api.url, deployments });
  api.answer((request) => answer(request, { source, target }));
  const close = async () => {
    await Promise.all([source.chain.stop(), target.chain.stop(), api.close()]);
  };
  return { source, target, api, across, close };
}

/**
 * Responds with a fee of 0.1 % and the longest times that the provider accepts. The status of a deposit is always
 * unknown.
 */
function answer({ path, query }: ApiRequest, { source, target }: Pick<World, "source" | "target">): Reply {
  if (path.endsWith("/deposit/status")) {
    const body = { error: "DepositNotFoundException", message: "Deposit not found" };
    return { kind: "json", status: 404, body };
  }
  const now = Math.floor(Date.now() / 1000);
  const amount = BigInt(query["amount"] ?? "0");
  const token = (of: BridgedChain, address = "") => ({
    ...of.deployment.tokens.find((known) => known.address === address),
    chainId: of.deployment.chainId,
  });
  return {
    kind: "json",
    body: {
      estimatedFillTimeSec: 2,
      timestamp: String(now - 1_790),
      isAmountTooLow: false,
      exclusiveRelayer: zeroAddress,
      exclusivityDeadline: 0,
      fillDeadline: String(now + 21_590),
      outputAmount: (amount - amount / 1_000n).toString(),
      spokePoolAddress: source.deployment.spokePool,
      destinationSpokePoolAddress: target.deployment.spokePool,
      limits: { minDeposit: "1", maxDeposit: "1000000000000000000000000" },
      inputToken: token(source, query["inputToken"]),
      outputToken: token(target, query["outputToken"]),
    },
  };
}

/** Returns a Router deposit of the whole delivery into the target's vault. With a very high `minShares` it fails. */
export function intoVault(
  { target }: World,
  { symbol, minShares = 1n }: { symbol: TokenSymbol; minShares?: bigint },
): DestinationCall {
  const asset = target.tokens[symbol];
  const vault = target.vaults[symbol];
  const step = spendingStep({
    target: vault,
    spender: vault,
    token: asset,
    offset: 4n,
    data: encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args: [0n, USER] }),
  });
  const order = {
    tokenIn: asset,
    nativeFee: 0n,
    minOutPerIn: 0n,
    direct: true,
    amountIn: 2n ** 256n - 1n,
    minIn: 1n,
    tokenOut: vault,
    receiver: USER,
    minOut: minShares,
    deadline: BigInt(Math.floor(Date.now() / 1000) + 86_400),
    refundTo: USER,
    ref: hash("a"),
    partnerId: hash("0"),
    partnerType: 0,
  };
  const data = encodeRouterCall({ order, steps: [step], sweep: [] });
  return { target: depositRouterAddress, data, minIn: 1n, gasLimit: 600_000n };
}

export function requestIn(
  { source, target }: World,
  of: { symbol: TokenSymbol; amount: bigint; call: DestinationCall | null; native?: boolean },
): TransferRequest {
  return {
    fromChainId: 31337,
    toChainId: 31338,
    fromToken: of.native === true ? zeroAddress : source.tokens[of.symbol],
    toToken: target.tokens[of.symbol],
    amount: of.amount,
    user: USER,
    slippage: 30_000_000n,
    call: of.call,
    bridges: null,
  };
}

/** Funds the user, approves the built transaction's spender and sends the transaction. */
export async function sendTransfer(
  { source, across }: World,
  request: TransferRequest,
): Promise<{ built: VerifiedTransfer; txHash: Hex; deposited: AcrossDeposit }> {
  const { chain } = source;
  const built = await across.build(scopeOf(), request);
  if (built.spender !== null) {
    if (request.fromToken !== source.tokens.WETH)
      await mint(chain, { token: request.fromToken, to: USER, amount: request.amount });
    const { fromToken: token, amount } = request;
    await approve(chain, { from: USER, token, spender: built.spender, amount });
  }
  const { transactionHash } = await send(chain, { from: USER, ...built.transaction });
  const { receipt } = await fetchTransaction(source.client, transactionHash);
  const found =
    receipt === null
      ? null
      : findAcrossDeposit(receipt, { origin: source.deployment, toChainId: request.toChainId });
  if (found === null) throw new Error("the SpokePool recorded no transfer");
  return { built, txHash: transactionHash, deposited: found };
}

/** Delivers the deposit as the relayer does. */
export function deliverTransfer({ target }: World, deposited: AcrossDeposit): Promise<TransactionReceipt> {
  return send(target.chain, fillTransaction(deposited, target.deployment.spokePool));
}

export function follow({ source, target, across }: World, txHash: Hex): Promise<ProviderStatus> {
  const scope = scopeOf([source.client, target.client]);
  return across.status(scope, { txHash, fromChainId: 31337, toChainId: 31338, tool: "across" });
}
