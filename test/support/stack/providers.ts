import { type Address, encodeFunctionData, erc4626Abi, type Hex, zeroAddress, zeroHash } from "viem";
import type { DeployedChain } from "../../../scripts/stack/chains/deploy-chain.ts";
import { providersVariable } from "../../../scripts/stack/worker/providers.ts";
import { createChainClient, NodeHealth } from "../../../src/chains/chain-client.ts";
import { Timing } from "../../../src/lib/outside-call-timing.ts";
import type { AcrossDeployment } from "../../../src/providers/across/across-deployments.ts";
import { createAcross } from "../../../src/providers/across/across-provider.ts";
import type { KyberDeployment } from "../../../src/providers/kyber/kyber-deployments.ts";
import { createKyber } from "../../../src/providers/kyber/kyber-provider.ts";
import { RateLimitMemory } from "../../../src/providers/lifi/api/lifi-rate-limits.ts";
import type { LifiDeployment } from "../../../src/providers/lifi/lifi-deployments.ts";
import { createLifi, type LifiProvider } from "../../../src/providers/lifi/lifi-provider.ts";
import type {
  DestinationCall,
  Provider,
  ProviderScope,
  TransferRequest,
  VerifiedTransfer,
} from "../../../src/providers/provider.ts";
import type { VeloraDeployment } from "../../../src/providers/velora/velora-deployments.ts";
import { createVelora } from "../../../src/providers/velora/velora-provider.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { encodeRouterCall, spendingStep } from "../../../src/router/router-codec.ts";
import { approve, type BridgedStack, manifestOf, send } from "./bridged.ts";

type Snake = Record<string, unknown>;
/** Contents of the environment variable `PROVIDERS`, before the Worker parses it. */
interface Variable {
  lifi: { api_url: string; integrator: string; deployments: Record<string, Snake> };
  across: { api_url: string; deployments: Record<string, Snake> };
  kyber: { api_url: string; deployments: Record<string, Omit<KyberDeployment, "chainId">> };
  velora: { api_url: string; deployments: Record<string, Omit<VeloraDeployment, "chainId">> };
}

/** Creates the production providers from the stack's variable `PROVIDERS`. */
export function openProviders(stack: BridgedStack): {
  lifi: LifiProvider;
  across: Provider;
  kyber: Provider;
  velora: Provider;
  scope: ProviderScope;
} {
  const variable = providersVariable(stack.hub, manifestOf(stack));
  const { lifi, across, kyber, velora } = JSON.parse(variable) as Variable;
  const lifiRows = Object.entries(lifi.deployments).map(([chainId, row]): [number, LifiDeployment] => [
    Number(chainId),
    { ...(camelCase(row) as unknown as LifiDeployment), maxNativeFee: BigInt(String(row["max_native_fee"])) },
  ]);
  const acrossRows = Object.entries(across.deployments).map(([chainId, row]) => ({
    ...(camelCase(row) as unknown as AcrossDeployment),
    chainId: Number(chainId),
  }));
  return {
    lifi: createLifi({
      apiUrl: lifi.api_url,
      apiKey: null,
      integrator: lifi.integrator,
      rateLimits: new RateLimitMemory(),
      deployments: new Map(lifiRows),
    }),
    across: createAcross({ apiUrl: across.api_url, deployments: acrossRows }),
    kyber: createKyber({
      apiUrl: kyber.api_url,
      clientId: "causeway",
      deployments: Object.entries(kyber.deployments).map(([id, row]) => ({ chainId: Number(id), ...row })),
    }),
    velora: createVelora({
      apiUrl: velora.api_url,
      deployments: Object.entries(velora.deployments).map(([id, row]) => ({ chainId: Number(id), ...row })),
    }),
    scope: scopeOf(stack),
  };
}

function camelCase(row: Snake): Snake {
  const entries = Object.entries(row).map(([key, value]) => [
    key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(entries);
}

function scopeOf({ one, two }: BridgedStack): ProviderScope {
  const now = () => Date.now();
  const timing = new Timing(now);
  const fetcher = (input: string, init?: RequestInit) => fetch(input, init);
  const health = new NodeHealth();
  return {
    fetch: fetcher,
    timing,
    now,
    chain(chainId) {
      const chain = [one, two].find(({ plan }) => plan.chainId === chainId);
      if (chain === undefined) return null;
      const definition = {
        chainId,
        name: chain.plan.name,
        key: chain.plan.key,
        explorer: "",
        native: { symbol: "ETH", decimals: 18 },
        wrappedNative: chain.tokens.WETH,
        rpcUrls: [chain.url],
        confirmations: 1,
      };
      return createChainClient({ definition, health, fetch: fetcher, timing, now });
    },
  };
}

/** Returns a transfer request; 2 % slippage by default. */
export function moveOf(
  from: DeployedChain,
  to: DeployedChain,
  fields: Pick<TransferRequest, "fromToken" | "toToken" | "amount" | "user"> & Partial<TransferRequest>,
): TransferRequest {
  const chains = { fromChainId: from.plan.chainId, toChainId: to.plan.chainId };
  return { ...chains, slippage: 20_000_000n, call: null, bridges: null, ...fields };
}

/** Returns the destination call that deposits the delivered amount into a vault; a high `minShares` makes it fail. */
export function intoVault(
  chain: DeployedChain,
  of: { vault: string; user: Address; minIn: bigint; minShares?: bigint },
): DestinationCall {
  const vault = chain.vaults.find(({ plan }) => plan.name === of.vault);
  if (vault === undefined) throw new Error(`no vault ${of.vault}`);
  const asset = chain.tokens[vault.plan.token];
  const data = encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args: [0n, of.user] });
  const order = {
    tokenIn: asset,
    nativeFee: 0n,
    minOutPerIn: 0n,
    direct: true,
    amountIn: 2n ** 256n - 1n,
    minIn: of.minIn,
    tokenOut: vault.address,
    receiver: of.user,
    minOut: of.minShares ?? 1n,
    deadline: BigInt(Math.floor(Date.now() / 1000) + 86_400),
    refundTo: of.user,
    ref: zeroHash,
    partnerId: zeroHash,
    partnerType: 0,
  };
  const steps = [
    spendingStep({ target: vault.address, spender: vault.address, token: asset, offset: 4n, data }),
  ];
  const call = encodeRouterCall({ order, steps, sweep: [] });
  return { target: depositRouterAddress, data: call, minIn: of.minIn, gasLimit: 900_000n };
}

/** Approves the spender and sends the built transaction, as a wallet does. */
export async function approveAndSend(
  chain: DeployedChain,
  { move, request }: { move: VerifiedTransfer; request: TransferRequest },
): Promise<Hex> {
  const { user, fromToken: token, amount } = request;
  if (move.spender !== null && token !== zeroAddress)
    await approve(chain, { user, token, spender: move.spender, amount });
  const receipt = await send(chain, { user, ...move.transaction });
  return receipt.transactionHash;
}
