import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  numberToHex,
  pad,
  parseAbi,
  zeroAddress,
  zeroHash,
} from "viem";
import type { ProviderStatus } from "../../../src/providers/provider.ts";
import { fakeChain } from "../across/stage.ts";
import { wireBlock, wireLog } from "../chains/wire.ts";
import { deployments } from "./harness.ts";
import { addressOf, bridgeDataOf, DIAMOND, requestOf, USER } from "./parts.ts";

/** A request to bridge 100 USDC from Base to Arbitrum. */
const plain = requestOf({});

const recordOf = (bridge: string) =>
  bridgeDataOf(plain, {
    bridge,
    sendingAssetId: plain.fromToken,
    minAmount: 99_750_000n,
    hasSourceSwaps: true,
  });

/** A log without its position in a receipt. */
export interface Event {
  address: Address;
  topics: Hex[];
  data: Hex;
}

const abi = parseAbi([
  "struct BridgeData { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }",
  "event LiFiTransferStarted(BridgeData bridgeData)",
  "event LiFiTransferRecovered(bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp)",
  "event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD)",
  "event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD)",
  "event BusRode(uint32 dstEid, uint72 ticketId, uint80 fare, bytes passenger)",
  "event BusDriven(uint32 dstEid, uint72 startTicketId, uint8 numPassengers, bytes32 guid)",
  "event ComposeDelivered(address from, address to, bytes32 guid, uint16 index)",
  "event MessageSent(bytes message)",
  "event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)",
]);

export const FROM = 8453;
export const TO = 42161;
export const GUID: Hex = `0x${"9d".repeat(32)}`;
export const SENT_AT = 1_790_000_000;
const [base, arbitrum] = [deployments.get(FROM), deployments.get(TO)];
if (!base?.stargate || !base.circle || !arbitrum?.stargate || !arbitrum.circle || !arbitrum.receiverStargate)
  throw new Error("contracts are missing");
const [poolHere, poolThere] = [base.stargate.pools[0], arbitrum.stargate.pools[0]];
if (poolHere === undefined || poolThere === undefined) throw new Error("pools are missing");
export const contracts = {
  pool: { from: poolHere.pool, to: poolThere.pool },
  otherPool: arbitrum.stargate.pools[1]?.pool ?? zeroAddress,
  laterPool: base.stargate.pools[1]?.pool ?? zeroAddress,
  endpoint: arbitrum.stargate.endpoint,
  messaging: base.stargate.messaging ?? zeroAddress,
  receiver: arbitrum.receiverStargate,
  transmitter: base.circle.transmitter,
  usdc: base.circle.usdc,
};
export const TRANSACTION_ID: Hex = recordOf("stargateV2").transactionId;

export function started(
  tool: string,
  address: Address = DIAMOND,
  receiver: Address = USER,
  hasDestinationCall = false,
): Event {
  const topics = encodeEventTopics({ abi, eventName: "LiFiTransferStarted" }) as Hex[];
  const parameters = [
    { type: "tuple", components: getAbiItem({ abi, name: "LiFiTransferStarted" }).inputs[0].components },
  ] as const;
  return {
    address,
    topics,
    data: encodeAbiParameters(parameters, [{ ...recordOf(tool), receiver, hasDestinationCall }]),
  };
}

const oft = [{ type: "uint32" }, { type: "uint256" }, { type: "uint256" }] as const;

export function oftSent(change: Partial<{ guid: Hex; dstEid: number; address: Address }> = {}): Event {
  const { guid = GUID, dstEid = 30110, address = contracts.pool.from } = change;
  const args = { guid, fromAddress: DIAMOND };
  const topics = encodeEventTopics({ abi, eventName: "OFTSent", args }) as Hex[];
  return { address, topics, data: encodeAbiParameters(oft, [dstEid, 99_750_000n, 99_690_000n]) };
}

export function oftReceived(
  change: Partial<{ guid: Hex; srcEid: number; to: Address; amount: bigint; address: Address }> = {},
): Event {
  const {
    guid = GUID,
    srcEid = 30184,
    to = USER,
    amount = 99_690_000n,
    address = contracts.pool.to,
  } = change;
  const topics = encodeEventTopics({
    abi,
    eventName: "OFTReceived",
    args: { guid, toAddress: to },
  }) as Hex[];
  return { address, topics, data: encodeAbiParameters(oft.slice(0, 2), [srcEid, amount]) };
}

/** Returns the events of a bus transfer by Stargate: the ticket's purchase and the bus's departure. */
export function busRode(ticket: bigint, address: Address = contracts.messaging): Event {
  const topics = encodeEventTopics({ abi, eventName: "BusRode" }) as Hex[];
  const types = [{ type: "uint32" }, { type: "uint72" }, { type: "uint80" }, { type: "bytes" }] as const;
  return { address, topics, data: encodeAbiParameters(types, [30110, ticket, 1n, "0x"]) };
}

export function busDriven(
  change: Partial<{ first: bigint; seats: number; guid: Hex; address: Address }> = {},
): Event {
  const { first = 40n, seats = 3, guid = GUID, address = contracts.messaging } = change;
  const topics = encodeEventTopics({ abi, eventName: "BusDriven" }) as Hex[];
  const types = [{ type: "uint32" }, { type: "uint72" }, { type: "uint8" }, { type: "bytes32" }] as const;
  return { address, topics, data: encodeAbiParameters(types, [30110, first, seats, guid]) };
}

export function composeDelivered(
  change: Partial<{ guid: Hex; from: Address; to: Address; address: Address }> = {},
): Event {
  const {
    guid = GUID,
    from = contracts.pool.to,
    to = contracts.receiver,
    address = contracts.endpoint,
  } = change;
  const types = [{ type: "address" }, { type: "address" }, { type: "bytes32" }, { type: "uint16" }] as const;
  const topics = encodeEventTopics({ abi, eventName: "ComposeDelivered" }) as Hex[];
  return { address, topics, data: encodeAbiParameters(types, [from, to, guid, 0]) };
}

export function recovered(change: Partial<{ transactionId: Hex; amount: bigint; address: Address }> = {}) {
  const { transactionId = TRANSACTION_ID, amount = 99_690_000n, address = contracts.receiver } = change;
  const args = { transactionId };
  const topics = encodeEventTopics({ abi, eventName: "LiFiTransferRecovered", args }) as Hex[];
  const types = [{ type: "address" }, { type: "address" }, { type: "uint256" }, { type: "uint256" }] as const;
  const values = [plain.toToken, USER, amount, BigInt(SENT_AT)] as const;
  return { address, topics, data: encodeAbiParameters(types, values) };
}

/** Fields of a burn message of CCTP, which the mint repeats. */
export interface Burn {
  token: Address;
  recipient: Address;
  amount: bigint;
  sender: Address;
  maxFee: bigint;
  fee: bigint;
  hook: Hex;
}

const burn: Burn = {
  token: contracts.usdc,
  recipient: USER,
  amount: 99_750_000n,
  sender: addressOf("celer's proxy"),
  maxFee: 20_000n,
  fee: 0n,
  hook: "0x",
};
const word = (value: bigint | number): Hex => numberToHex(value, { size: 32 });
const short = (value: number): Hex => numberToHex(value, { size: 4 });
export const MESSENGER: Address = "0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d";

function bodyOf(change: Partial<Burn>): Hex {
  const { token, recipient, amount, sender, maxFee, fee, hook } = { ...burn, ...change };
  const parties = [pad(token), pad(recipient), word(amount), pad(sender)];
  return concatHex([short(1), ...parties, word(maxFee), word(fee), word(fee === 0n ? 0 : 77), hook]);
}

export function messageSent(
  change: Partial<Burn> & Partial<{ domains: readonly [number, number]; address: Address }> = {},
): Event {
  const { domains = [6, 3], address = contracts.transmitter, ...body } = change;
  const route = [short(1), short(domains[0]), short(domains[1]), zeroHash];
  const parties = [pad(MESSENGER), pad(MESSENGER), zeroHash, short(2_000), short(0)];
  const message = concatHex([...route, ...parties, bodyOf(body)]);
  const topics = encodeEventTopics({ abi, eventName: "MessageSent" }) as Hex[];
  return { address, topics, data: encodeAbiParameters([{ type: "bytes" }], [message]) };
}

export function messageReceived(
  change: Partial<Burn> & Partial<{ domain: number; from: Address; address: Address }> = {},
): Event {
  const { domain = 6, from = MESSENGER, address = contracts.transmitter, ...body } = change;
  const args = { caller: addressOf("relayer"), nonce: GUID, finalityThresholdExecuted: 2_000 };
  const topics = encodeEventTopics({ abi, eventName: "MessageReceived", args }) as Hex[];
  const types = [{ type: "uint32" }, { type: "bytes32" }, { type: "bytes" }] as const;
  const data = encodeAbiParameters(types, [domain, pad(from), bodyOf({ fee: 9_000n, ...body })]);
  return { address, topics, data };
}

interface Told {
  succeeded?: boolean;
  events: readonly Event[];
}

/** Number of the block of all transactions, and of the chain's head. */
const BLOCK = 5;
const HEAD = 9;

/**
 * Creates a fake chain with transactions in one block of the given time. `found` are the transactions that log searches
 * find; `logs` are all logs, or null if the node rejects log requests.
 */
export function chainWith(
  chainId: number,
  given: {
    txs: Record<Hex, Told>;
    time?: number;
    found?: readonly Hex[];
    logs?: readonly Event[] | null;
  },
) {
  const { txs, time = SENT_AT, found = [], logs: full = [] } = given;
  const told = (params: readonly unknown[]) => txs[params[0] as Hex];
  return fakeChain(chainId, {
    eth_blockNumber: () => numberToHex(HEAD),
    eth_getBlockByNumber: ([block]) => wireBlock(block === "latest" ? HEAD : Number(block), time),
    eth_getLogs: ([filter]) => {
      if (full === null) throw new Error("the range is too wide");
      const wanted = (filter as { address: readonly string[] }).address;
      const calls = found.map((txHash) => wireLog(recovered(), { block: BLOCK, txHash }));
      const others = full.map((event, index) => wireLog(event, { block: BLOCK, txHash: zeroHash, index }));
      return [...calls, ...others].filter(({ address }) => wanted.includes(address.toLowerCase()));
    },
    eth_getTransactionByHash: (params) =>
      told(params) === undefined
        ? null
        : { hash: params[0], from: USER, to: DIAMOND, input: "0x", value: "0x0", gas: "0x1" },
    eth_getTransactionReceipt: (params) => {
      const one = told(params);
      if (one === undefined) return null;
      const logs = one.events.map((event, index) => ({ ...event, logIndex: numberToHex(index) }));
      const status = one.succeeded === false ? "0x0" : "0x1";
      return { transactionHash: params[0], blockNumber: numberToHex(BLOCK), status, gasUsed: "0x1", logs };
    },
  });
}

/** Returns LI.FI's status of a transfer that was delivered in a transaction. */
export function delivered(destinationTxHash: Hex | null): ProviderStatus {
  return {
    phase: "delivered",
    substatus: "COMPLETED",
    destinationTxHash,
    refundTxHash: null,
    amountReceived: null,
    explorerLink: null,
    proof: null,
    unread: false,
  };
}
