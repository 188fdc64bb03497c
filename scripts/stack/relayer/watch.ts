import {
  encodeAbiParameters,
  getAbiItem,
  type Hex,
  isAddressEqual,
  keccak256,
  numberToHex,
  parseEventLogs,
  toEventSelector,
} from "viem";
import { relayHashParameters, spokePoolAbi } from "../../../src/providers/across/abi.ts";
import { headOf, logsOf, type NodeLog, receiptOf } from "../bridge/node.ts";
import type { BridgeChain } from "../bridge/world.ts";
import { diamondAbi } from "../contracts/lifi/artifact.ts";
import type { Ledger } from "./ledger.ts";
import type { LifiStart, RelayData } from "./transfer.ts";

const DEPOSITED = toEventSelector(getAbiItem({ abi: spokePoolAbi(), name: "FundsDeposited" }));

/** Blocks that are read again, for a chain may go back and come forward between two looks. */
const OVERLAP = 32n;

/** Reads one chain's deposits into the ledger, each once. */
export class Watcher {
  readonly #chain: BridgeChain;
  readonly #ledger: Ledger;
  #head: { hash: string; number: bigint } = { hash: "", number: 0n };

  constructor(chain: BridgeChain, ledger: Ledger) {
    this.#chain = chain;
    this.#ledger = ledger;
  }

  /** Returns the chain's time in unix seconds. */
  async look(): Promise<number> {
    const { url, chainId, contracts } = this.#chain;
    const head = await headOf(url);
    if (head.hash === this.#head.hash) return head.timestamp;
    const first = (head.number < this.#head.number ? head.number : this.#head.number) - OVERLAP;
    const range = { fromBlock: numberToHex(first > 0n ? first : 0n), toBlock: numberToHex(head.number) };
    const logs = await logsOf(url, { address: contracts.spokePool, topics: [DEPOSITED], ...range });
    const hashes = new Set<Hex>();
    for (const log of logs) hashes.add(await this.#note(log));
    this.#ledger.retain(chainId, { from: first, hashes });
    this.#head = head;
    return head.timestamp;
  }

  async #note(log: NodeLog): Promise<Hex> {
    const { chainId, contracts } = this.#chain;
    const [event] = parseEventLogs({ abi: spokePoolAbi(), eventName: "FundsDeposited", logs: [asLog(log)] });
    if (event === undefined) throw new Error("a deposit that cannot be read");
    const { destinationChainId, quoteTimestamp, ...fields } = event.args;
    const relay: RelayData = { ...fields, originChainId: BigInt(chainId) };
    const hash = relayHash(relay, destinationChainId);
    if (this.#ledger.has(hash)) return hash;
    const receipt = await receiptOf(this.#chain.url, log.transactionHash);
    const lifi = lifiStart(receipt?.logs ?? [], { diamond: contracts.diamond, after: log.logIndex });
    this.#ledger.add({
      originChainId: chainId,
      destinationChainId: Number(destinationChainId),
      relay,
      relayHash: hash,
      depositTx: log.transactionHash,
      depositBlock: log.blockNumber,
      quoteTimestamp,
      lifi,
      seenAt: Date.now(),
      state: "pending",
      fillTx: null,
      refundTx: null,
      delivered: null,
      callsSucceeded: null,
    });
    return hash;
  }
}

/** Under which hash both SpokePools know a transfer. */
export function relayHash(relay: RelayData, destinationChainId: bigint): Hex {
  return keccak256(encodeAbiParameters(relayHashParameters, [relay, destinationChainId]));
}

/** The Diamond announces a transfer right after the deposit it makes for it. */
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

type ParsedLog = Parameters<typeof parseEventLogs>[0]["logs"][number];

/** viem wants every field of a log; those that parsing does not read are left out. */
export const asLog = (log: NodeLog): ParsedLog => log as unknown as ParsedLog;
