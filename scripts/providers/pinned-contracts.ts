import { type Address, isAddressEqual, parseAbi } from "viem";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { createQuery, type Read, read, valueOrNull } from "../../src/chains/chain-reads.ts";
import { knownAcrossDeployments } from "../../src/providers/across/across-deployments.ts";
import { resolveKyberDeployments } from "../../src/providers/kyber/kyber-deployments.ts";
import {
  cctpContracts,
  stargateContracts,
} from "../../src/providers/lifi/bridge-proof/stargate-and-cctp-contracts.ts";
import { lifiContracts } from "../../src/providers/lifi/lifi-deployments.ts";
import { resolveVeloraDeployments } from "../../src/providers/velora/velora-deployments.ts";
import { codeAt } from "../registry/registry-chain.ts";

const views = parseAbi([
  "function erc20Proxy() view returns (address)",
  "function executor() view returns (address)",
  "function spokepool() view returns (address)",
  "function endpointV2() view returns (address)",
  "function wrappedNativeToken() view returns (address)",
  "function token() view returns (address)",
  "function localDomain() view returns (uint32)",
  "function WETH() view returns (address)",
]);
type View = (typeof views)[number]["name"];

/** A provider's contract whose address is in the code, with the expected results of its view functions. */
export interface PinnedContract {
  chainId: number;
  name: string;
  address: Address;
  /** View functions without arguments, each with the result that the code expects. */
  says: Partial<Record<View, Address | number>>;
}

/** Lists the providers' contracts in the code, by chain. */
export function pinnedContracts(): PinnedContract[] {
  return [
    ...lifiContracts.flatMap(([chainId]) => lifiPins(chainId)),
    ...acrossPins(),
    ...exchangePins("KyberSwap MetaAggregationRouterV2", resolveKyberDeployments([])),
    ...exchangePins("Velora Augustus V6.2", resolveVeloraDeployments([])),
  ];
}

/** Both routers name the chain's wrapped native currency. Source: MetaAggregationRouterV2.sol, AugustusV6's WETHUtils.sol. */
function exchangePins(
  name: string,
  deployments: ReadonlyMap<number, { chainId: number; router: Address }>,
): PinnedContract[] {
  return [...deployments.values()].map(({ chainId, router: address }) => {
    const WETH = knownChains.find((chain) => chain.chainId === chainId)?.wrappedNative ?? null;
    return { chainId, name, address, says: WETH === null ? {} : { WETH } };
  });
}

function lifiPins(chainId: number): PinnedContract[] {
  const row = lifiContracts.find(([id]) => id === chainId)?.[1];
  if (row === undefined) return [];
  const { diamond, executor, erc20Proxy, receiverAcross, receiverStargate, feeForwarders } = row;
  const spokePool = knownAcrossDeployments.find((one) => one.chainId === chainId)?.spokePool;
  const stargate = stargateContracts[chainId];
  const circle = cctpContracts[chainId];
  const pin = (name: string, address: Address | null, says: PinnedContract["says"] = {}): PinnedContract[] =>
    address === null ? [] : [{ chainId, name, address, says }];
  return [
    ...pin("LI.FI Diamond", diamond),
    ...pin("LI.FI Executor", executor, { erc20Proxy }),
    ...pin("LI.FI ERC20Proxy", erc20Proxy),
    ...pin("LI.FI ReceiverAcrossV4", receiverAcross, {
      executor,
      ...(spokePool === undefined ? {} : { spokepool: spokePool }),
    }),
    ...pin("LI.FI ReceiverStargateV2", receiverStargate, {
      executor,
      ...(stargate === undefined ? {} : { endpointV2: stargate.endpoint }),
    }),
    ...feeForwarders.flatMap((address) => pin("LI.FI FeeForwarder", address)),
    ...(stargate?.pools ?? []).flatMap(({ pool, token }) => pin("Stargate pool", pool, { token })),
    ...(circle === undefined
      ? []
      : pin("CCTP MessageTransmitter", circle.transmitter, { localDomain: circle.domain })),
  ];
}

function acrossPins(): PinnedContract[] {
  return knownAcrossDeployments.flatMap(({ chainId, spokePool, multicallHandler, wrappedNative }) => [
    {
      chainId,
      name: "Across SpokePool",
      address: spokePool,
      says: wrappedNative === null ? {} : { wrappedNativeToken: wrappedNative },
    },
    ...(multicallHandler === null
      ? []
      : [{ chainId, name: "Across MulticallHandler", address: multicallHandler, says: {} }]),
  ]);
}

/** A pinned contract whose state on-chain differs from the code. */
export interface MovedContract {
  contract: PinnedContract;
  /** The difference: no code, or another result of a view function; `unread` for a failed read. */
  difference: string;
}

/**
 * Compares the pinned contracts of one chain with the chain: their code, and the addresses and domains that they
 * return. Returns one entry per difference. Errors of the chain client propagate.
 */
export async function findMovedContracts(
  client: ChainClient,
  contracts: readonly PinnedContract[],
): Promise<MovedContract[]> {
  const codes = await Promise.all(contracts.map(({ address }) => codeAt(client, address)));
  const asked = contracts.flatMap((contract) =>
    Object.entries(contract.says).map(([view, expected]) => ({ contract, view: view as View, expected })),
  );
  const reads = Object.fromEntries(
    asked.map(({ contract, view }, at): [string, Read<unknown>] => [
      `${at}`,
      read({ to: contract.address, abi: views, name: view }),
    ]),
  );
  const query = createQuery(reads, (results) => asked.map((_, at) => saidBy(results[`${at}`])));
  const { value } = await runQuery(client, query);
  const empty = contracts.filter((_, at) => codes[at] === "0x");
  const differing = asked.flatMap(({ contract, view, expected }, at) => {
    const said = value[at] ?? null;
    if (empty.includes(contract) || isExpected(said, expected)) return [];
    return [{ contract, difference: said === null ? `${view}() unread` : `${view}() is ${said}` }];
  });
  return [...empty.map((contract) => ({ contract, difference: "no code" })), ...differing];
}

const saidBy = (result: Parameters<typeof valueOrNull>[0] | undefined): Address | number | null =>
  result === undefined ? null : (valueOrNull(result) as Address | number | null);

function isExpected(said: Address | number | null, expected: Address | number): boolean {
  if (typeof said === "string" && typeof expected === "string") return isAddressEqual(said, expected);
  return said === expected;
}
