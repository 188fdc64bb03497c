import {
  encodeAbiParameters,
  getAbiItem,
  type Hex,
  isAddressEqual,
  keccak256,
  numberToHex,
  pad,
  parseEventLogs,
  toEventSelector,
  zeroAddress,
} from "viem";
import { diamondAbi } from "#stand-ins/lifi";
import { relayHashParameters, spokePoolAbi } from "../../../src/providers/across/across-abi.ts";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import { headOf, logsOf, type NodeLog, receiptOf } from "../bridge/node-requests.ts";
import { asLog } from "./as-log.ts";
import type { Ledger } from "./ledger.ts";
import { MESSAGING_TOPICS, messagingContractsOf, readMessagingEvent } from "./messaging-events.ts";
import type { LifiStart, RelayData, Transfer } from "./transfer.ts";

const DEPOSITED = toEventSelector(getAbiItem({ abi: spokePoolAbi(), name: "FundsDeposited" }));

/** Blocks that are read again on each poll, to notice a reorg. */
const OVERLAP = 32n;

type Found = Pick<
  Transfer,
  "relay" | "relayHash" | "messaging" | "quoteTimestamp" | "lifi" | "destinationChainId"
>;

/** Reads one chain's deposits into the ledger, each once. */
export class DepositWatcher {
  readonly #chain: BridgeChain;
  readonly #ledger: Ledger;
  #head: { hash: string; number: bigint } = { hash: "", number: 0n };

  constructor(chain: BridgeChain, ledger: Ledger) {
    this.#chain = chain;
    this.#ledger = ledger;
  }

  /** Reads new deposits and returns the head's timestamp in unix seconds. */
  async poll(): Promise<number> {
    const { url, chainId, contracts } = this.#chain;
    const head = await headOf(url);
    if (head.hash === this.#head.hash) return head.timestamp;
    const first = (head.number < this.#head.number ? head.number : this.#head.number) - OVERLAP;
    const range = { fromBlock: numberToHex(first > 0n ? first : 0n), toBlock: numberToHex(head.number) };
    const address = [contracts.spokePool, ...messagingContractsOf(contracts)];
    const logs = await logsOf(url, { address, topics: [[DEPOSITED, ...MESSAGING_TOPICS]], ...range });
    const hashes = new Set<Hex>();
    for (const log of logs) hashes.add(await this.#note(log));
    this.#ledger.retain(chainId, { from: first, hashes });
    this.#head = head;
    return head.timestamp;
  }

  async #note(log: NodeLog): Promise<Hex> {
    const { chainId, contracts } = this.#chain;
    if (log.topics[0] !== DEPOSITED) return this.#noteMessaging(log);
    const [event] = parseEventLogs({ abi: spokePoolAbi(), eventName: "FundsDeposited", logs: [asLog(log)] });
    if (event === undefined) throw new Error("cannot decode the deposit");
    const { destinationChainId, quoteTimestamp, ...fields } = event.args;
    const relay: RelayData = { ...fields, originChainId: BigInt(chainId) };
    const hash = relayHash(relay, destinationChainId);
    if (this.#ledger.has(hash)) return hash;
    const receipt = await receiptOf(this.#chain.url, log.transactionHash);
    const lifi = lifiStart(receipt?.logs ?? [], { diamond: contracts.diamond, after: log.logIndex });
    const found = { relay, relayHash: hash, messaging: null, quoteTimestamp, lifi };
    this.#add(log, { ...found, destinationChainId: Number(destinationChainId) });
    return hash;
  }

  async #noteMessaging(log: NodeLog): Promise<Hex> {
    const { contracts, url } = this.#chain;
    const found = readMessagingEvent(log, this.#chain);
    if (this.#ledger.has(found.relayHash)) return found.relayHash;
    const receipt = await receiptOf(url, log.transactionHash);
    const lifi = lifiStart(receipt?.logs ?? [], { diamond: contracts.diamond, after: log.logIndex });
    const sender = pad(receipt?.from ?? zeroAddress);
    this.#add(log, { ...found, relay: { ...found.relay, depositor: sender }, quoteTimestamp: 0, lifi });
    return found.relayHash;
  }

  #add(log: NodeLog, found: Found): void {
    this.#ledger.add({
      ...found,
      originChainId: this.#chain.chainId,
      depositTx: log.transactionHash,
      depositBlock: log.blockNumber,
      seenAt: Date.now(),
      state: "pending",
      fillTx: null,
      refundTx: null,
      delivered: null,
      callsSucceeded: null,
    });
  }
}

/** Returns the hash by which both SpokePools identify a transfer. */
export function relayHash(relay: RelayData, destinationChainId: bigint): Hex {
  return keccak256(encodeAbiParameters(relayHashParameters, [relay, destinationChainId]));
}

/** Finds LI.FI's data of a deposit: the Diamond emits its event right after the deposit's. */
function lifiStart(
  logs: readonly NodeLog[],
  { diamond, after }: { diamond: Hex; after: number },
): LifiStart | null {
  const own = logs.filter((log) => isAddressEqual(log.address, diamond) && log.logIndex > after).map(asLog);
  const [started] = parseEventLogs({ abi: diamondAbi, eventName: "LiFiTransferStarted", logs: own });
  if (started === undefined) return null;
  const { transactionId, bridge, integrator, receiver, sendingAssetId, minAmount } = started.args.bridgeData;
  return { transactionId, bridge, integrator, receiver, sendingAssetId, minAmount };
}
