import { type Address, concat, type Hex, numberToHex, padHex, size, toBytes, toHex } from "viem";
import { aggregatorCreationCode } from "../../../src/chains/aggregator/aggregator-artifact.ts";
import type { OpenRequest, UserRequestFlow } from "../../../src/db/queries/user-flow-queries.ts";
import type { VaultRedemptions } from "../../../src/positions/position-redemptions.ts";
import { joinUnindexedRequests } from "../../../src/positions/position-unindexed-requests.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { answerMulticall, type Contracts } from "../chains/multicall.ts";
import { clientOn, type RpcAnswer, type RpcCall, startHonestNode, testChain } from "../chains/rpc-node.ts";
import { NOW, OTHER, USDC, USER, vault } from "../deposits/fixtures.ts";
import { eventLog } from "../vaults/answer.ts";

export const WAD = 10n ** 18n;
export const INDEXED_TO = 100;
export const BLOCK = 130;
export const REDEMPTIONS: Address = "0x2222222222222222222222222222222222222222";
export const FURTHER: Address = "0x3333333333333333333333333333333333333333";
export const midas: Vault = {
  ...{ ...vault, adapter: "midas" },
  params: { redemption_vault: REDEMPTIONS, asset_rate: "stable", redeem_tokens: `${USDC}/6/USDC` },
};
export const placeAt = (address: Address) => ({
  vaultId: `31337:${address.toLowerCase()}`,
  ...{ address, shareToken: address },
});
export const second: Vault = {
  ...{ ...midas, ...placeAt(OTHER) },
  params: { ...midas.params, redemption_vault: FURTHER },
};
export type Event = ReturnType<typeof eventLog>;
export const requested = (id: bigint, shares: bigint, more: { user?: Address; by?: Address } = {}): Event =>
  eventLog(
    more.by ?? REDEMPTIONS,
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
    {
      ...{ requestId: id, user: more.user ?? USER, tokenOut: USDC },
      ...{ amountMTokenIn: shares, feeAmount: 0n },
    },
  );
export const found = (
  ...events: readonly { address: Address; topics: readonly unknown[]; data: Hex }[]
): RpcAnswer => ({
  result: events.map(({ address, topics, data }, index) => ({
    ...{ address, topics, data, blockNumber: numberToHex(INDEXED_TO + 1), logIndex: numberToHex(index) },
    ...{ blockHash: padHex("0xb", { size: 32 }), transactionHash: padHex("0x7", { size: 32 }) },
  })),
});

export const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
/** Contracts in which the user has a pending request for 2 mTokens, and a price of one dollar. */
const pending: Contracts = ({ to }) => {
  const request = [BigInt(USER), BigInt(USDC), 0n, 2n * WAD, WAD, WAD];
  const asked = [REDEMPTIONS, FURTHER].includes(to);
  return { ok: true, data: asked ? concat(request.map(word)) : word(WAD) };
};
/** Chain, block and time, then for each vault: status 3 (worth unknown) and a balance after its length in bytes. */
function balances(shares: readonly bigint[]): RpcAnswer {
  const head = [testChain.chainId, INDEXED_TO, 8].map((part) => numberToHex(part, { size: 8 }));
  const held = shares.map((one) => {
    const digits = one === 0n ? "0x" : toHex(toBytes(one));
    return concat(["0x03", numberToHex(size(digits), { size: 1 }), digits]);
  });
  return { result: concat([...head, ...held]) };
}

interface LogParams {
  fromBlock: Hex;
  toBlock: Hex;
  address: readonly string[];
  topics: readonly (readonly string[] | null)[];
}
type Log = { address: string; topics?: readonly string[]; blockNumber: Hex };

/** Leaves those logs in an answer that the request asks for; an answer without topics stays as it is. */
function matching(answer: RpcAnswer, { address, topics, ...blocks }: LogParams): RpcAnswer {
  if (!("result" in answer) || !Array.isArray(answer.result)) return answer;
  const fits = (log: Log): boolean =>
    log.topics === undefined ||
    (BigInt(log.blockNumber) >= BigInt(blocks.fromBlock) &&
      BigInt(log.blockNumber) <= BigInt(blocks.toBlock) &&
      address.includes(log.address.toLowerCase()) &&
      topics.every((list, at) => list === null || list.includes(log.topics?.[at]?.toLowerCase() ?? "")));
  return { result: answer.result.filter(fits) };
}

export interface Unindexed {
  /** Shares in the wallet now and at the index's last block, and those of the flows, of each vault. */
  now: bigint;
  before: bigint;
  flown: bigint;
  logs?: RpcAnswer | ((address: string) => RpcAnswer);
  contracts?: Contracts;
  block?: number | null;
  vaults?: readonly Vault[];
  requests?: VaultRedemptions["requests"];
  open?: readonly OpenRequest[];
  requestFlows?: readonly UserRequestFlow[];
  /** True if some requests of the user are not listed. */
  incomplete?: boolean;
  /** True if the history of the vaults has gaps. */
  gaps?: true;
  /** True if the user has no flows. */
  strange?: true;
}

/** Joins a user's shares, worth a dollar each, with the requests. */
export async function playUnindexed(of: Unindexed) {
  const vaults = of.vaults ?? [midas];
  const contracts = of.contracts ?? pending;
  const block = { chainId: testChain.chainId, number: BLOCK, timestamp: NOW / 1000 };
  const node = await startHonestNode(({ method, params }) => {
    const [call] = params as [{ data: Hex } & LogParams];
    if (method === "eth_getLogs") {
      const { logs = found() } = of;
      return matching(typeof logs === "function" ? logs(call.address.join()) : logs, call);
    }
    if (!call.data.startsWith(aggregatorCreationCode)) return balances(vaults.map(() => of.before));
    const timestamp = Math.floor(block.timestamp);
    return { result: answerMulticall(call.data, { contracts, block: { ...block, timestamp } }) };
  });
  const byVault = <T>(amount: T) =>
    Object.fromEntries(vaults.map(({ address }) => [address.toLowerCase(), amount]));
  const held =
    of.now === 0n ? [] : vaults.map((one) => ({ vault: one, shares: of.now, assets: of.now / 10n ** 12n }));
  const read = { requests: of.requests ?? [], incomplete: of.incomplete ?? false };
  const redemptions = vaults.map((one) => ({ vault: one, ...read, takenOut: 0n, minted: 0n, price: null }));
  const known = { sums: byVault(of.gaps ? null : `${of.flown}`), shares: byVault(`${of.flown}`) };
  const { values, basis } = await joinUnindexedRequests(clientOn([node]).client, {
    ...{ user: USER, held, asked: { redemptions, deposits: [] }, unread: [], vaults },
    flows: {
      ...{ chainId: testChain.chainId, indexedFrom: 1, indexedTo: INDEXED_TO, headTime: new Date(NOW) },
      ...(of.strange ? { sums: {}, shares: {} } : known),
      ...{ shareless: {}, unindexed: [] },
    },
    ...{ open: of.open ?? [], requestFlows: of.requestFlows ?? [], pending: [] },
    blockTimestamp: Math.floor(NOW / 1000),
    blockNumber: of.block === undefined ? BLOCK : of.block,
  });
  const asks = node.calls.filter(({ method }) => method !== "eth_chainId");
  const isOwn = ({ method, params }: RpcCall) =>
    method === "eth_getLogs" && (params as [LogParams])[0].topics.length === 3;
  const [own, calls] = [asks.filter(isOwn), asks.filter((call) => !isOwn(call))];
  const methods = calls.map(({ method }) => method);
  const shown = values.map(({ vault: { vaultId }, assets, requests: all }) => {
    return { vaultId, assets, requests: all.map(({ requestId }) => requestId) };
  });
  return { shown, basis: basis.get(midas.vaultId), own, calls, methods };
}

export const fallen = { now: 3n * WAD, before: 5n * WAD, flown: 5n * WAD };
export const emptied = { now: 0n, before: 2n * WAD, flown: 2n * WAD };
export const unknown = [{ assets: null, requests: [] }];
