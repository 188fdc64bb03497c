import { encodeFunctionData, getAddress, type Hex, numberToHex, parseAbi, slice } from "viem";
import type { AcrossDeposit } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { relayHash } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import type { Random } from "../flows/random.ts";
import { SimulatedAcrossApi } from "../following/across-api.ts";
import {
  acrossDeposits,
  CHAIN_IDS,
  FORGER,
  fill,
  findFill,
  OWN_VAULT,
  RELAYER,
  SPOKE_POOL,
} from "../following/contracts.ts";
import { drawNodeFaults, NO_FAULTS } from "../following/node-faults.ts";
import { mintedIn, placesOf } from "../following/recount.ts";
import { BLOCK_S, type Included, type SimulatedBlock, SimulatedChain } from "../following/simulated-chain.ts";
import { SimulatedNode } from "../following/simulated-node.ts";
import { callOf, secondStepOf } from "../following/transactions.ts";
import type { LoadDeposit } from "./load-users.ts";
import type { SimulatedTime } from "./simulated-time.ts";

const NODES = 2;
/** Blocks that the chains have at the start. */
const FIRST_BLOCKS = 60;
/** Time after which relayers and users look whether what they sent is on the chain, in milliseconds. */
const RETRY_MS = 20_000;
const MAX_TRIES = 8;

const vaultAbi = parseAbi(["function deposit(uint256 assets, address receiver) returns (uint256)"]);

/** Chains with their nodes, relayers, reorgs and faults, in simulated time. */
export class LoadWorld {
  readonly chains: Readonly<Record<number, SimulatedChain>>;
  readonly nodes: Readonly<Record<number, readonly SimulatedNode[]>>;
  readonly across: SimulatedAcrossApi;
  readonly counts = { reorgs: 0, dropped: 0, faults: 0, outages: 0, relayed: 0 };
  /** Called with each payout of a bridge that a block contains. */
  onArrival: (arrival: { user: Hex; amount: bigint }) => void = () => undefined;
  /** True once no more reorgs and faults begin. */
  calm = false;
  readonly #time: SimulatedTime;
  readonly #random: Random;
  /** Simulated time at which each block appeared. */
  readonly #minedAt = new Map<Hex, number>();
  /** Relay hashes of the transfers that a relayer has taken up. */
  readonly #relaying = new Set<Hex>();

  constructor(time: SimulatedTime, of: { random: Random; chains: number }) {
    this.#time = time;
    this.#random = of.random;
    const ids = CHAIN_IDS.slice(0, of.chains);
    this.chains = Object.fromEntries(
      ids.map((chainId) => {
        const chain = new SimulatedChain(chainId, of.random, time.now / 1000 - FIRST_BLOCKS * BLOCK_S);
        chain.mine(FIRST_BLOCKS);
        return [chainId, chain];
      }),
    );
    this.nodes = Object.fromEntries(
      Object.values(this.chains).map((chain) => [
        chain.chainId,
        Array.from({ length: NODES }, () => new SimulatedNode(chain)),
      ]),
    );
    this.across = new SimulatedAcrossApi((hash) => this.#acrossSays(hash));
  }

  get chainIds(): number[] {
    return Object.keys(this.chains).map(Number);
  }

  chain(chainId: number): SimulatedChain {
    const chain = this.chains[chainId];
    if (chain === undefined) throw new RangeError(`no chain ${chainId}`);
    return chain;
  }

  /** Starts the chains, each with blocks at other times than the others, until a time. */
  start(until: number): void {
    for (const [index, chain] of Object.values(this.chains).entries()) {
      const first = this.#time.now + 1_000 + ((index * 400) % (BLOCK_S * 1000));
      this.#time.every({ ms: BLOCK_S * 1000, first }, () => {
        chain.mine(1);
        this.#noteBlocks(chain);
        return this.#time.now < until;
      });
    }
  }

  /** Starts the reorgs and node faults, at intervals in milliseconds. */
  disturb(every: { reorgMs: number; faultMs: number; outageMs: number }): void {
    const from = this.#time.now;
    const repeat = (ms: number, work: () => void): void =>
      this.#time.every({ ms, first: from + ms }, () => {
        if (!this.calm) work();
        return !this.calm;
      });
    repeat(every.reorgMs, () => this.#reorg());
    repeat(every.faultMs, () => {
      const node = this.#random.pick(this.nodes[this.#anyChain().chainId] ?? []);
      node.faults = drawNodeFaults(this.#random);
      this.counts.faults += 1;
      this.#time.at(this.#time.now + 20_000 + this.#random.below(40_000), () => {
        node.faults = { ...NO_FAULTS };
      });
    });
    repeat(every.outageMs, () => {
      const nodes = this.nodes[this.#anyChain().chainId] ?? [];
      this.counts.outages += 1;
      for (const node of nodes) node.faults = { ...NO_FAULTS, down: true };
      this.#time.at(this.#time.now + 20_000, () => {
        for (const node of nodes) node.faults = { ...NO_FAULTS };
      });
    });
  }

  /** Sends the source transaction of a deposit. */
  send({ user, source }: Pick<LoadDeposit, "user" | "source">): Hex {
    return this.chain(source.chainId).send(callOf({ from: user, to: source.to, data: source.data }));
  }

  /** Sends the deposit of an amount that arrived, as the second step says. */
  sendSecond({ user, homeId }: Pick<LoadDeposit, "user" | "homeId">, amount: bigint): Hex {
    const data = encodeFunctionData({
      ...{ abi: vaultAbi, functionName: "deposit", args: [amount, getAddress(user)] },
    });
    return this.chain(homeId).send(secondStepOf(user, { to: OWN_VAULT, data, fails: false }));
  }

  /** Returns true if the user's second step is on the chain, or waits for a block. */
  hasSecond(deposit: Pick<LoadDeposit, "user" | "homeId" | "trackingId">): boolean {
    const chain = this.chain(deposit.homeId);
    const pending = chain.pool.some(({ from }) => from.toLowerCase() === deposit.user);
    return pending || placesOf(chain, deposit.user).some(({ included }) => hasMinted(included, deposit));
  }

  /** Returns the time at which a block had a number of confirmations, or null if it has fewer. */
  confirmedAt(chainId: number, of: { block: SimulatedBlock; confirmations: number }): number | null {
    const { block, confirmations } = of;
    const last = this.chain(chainId).blocks[block.number + confirmations - 1];
    const [own, then] = [block.hash, last?.hash ?? "0x"].map((hash) => this.#minedAt.get(hash as Hex));
    return own === undefined || then === undefined ? null : Math.max(own, then);
  }

  #anyChain(): SimulatedChain {
    return this.#random.pick(Object.values(this.chains));
  }

  #reorg(): void {
    const chain = this.#anyChain();
    const depth = 1 + this.#random.below(4);
    chain.reorg(depth, () => {
      const drops = this.#random.once(20);
      if (drops) this.counts.dropped += 1;
      return !drops;
    });
    this.counts.reorgs += 1;
    this.#noteBlocks(chain);
  }

  /** Lets relayers and users see the blocks that are new. */
  #noteBlocks(chain: SimulatedChain): void {
    for (let at = chain.blocks.length - 1; at >= 0; at -= 1) {
      const block = chain.blocks[at];
      if (block === undefined || this.#minedAt.has(block.hash) || at < FIRST_BLOCKS) return;
      this.#minedAt.set(block.hash, this.#time.now);
      for (const { logs, sent } of block.included)
        for (const deposit of acrossDeposits(chain.chainId, logs)) this.#takeUp(deposit, sent.hash);
    }
  }

  #takeUp(deposit: AcrossDeposit, sourceHash: Hex): void {
    const hash = relayHash(deposit);
    if (this.#relaying.has(hash)) return;
    this.#relaying.add(hash);
    const delay = 2_000 + this.#random.below(13_000);
    this.#time.at(this.#time.now + delay, () => this.#relay({ deposit, sourceHash, hash, tries: 0 }));
  }

  /** Pays out a transfer, again if a reorg removed the payout, unless the transfer is gone. */
  #relay(of: { deposit: AcrossDeposit; sourceHash: Hex; hash: Hex; tries: number }): void {
    const { deposit, sourceHash, hash, tries } = of;
    const { originChainId, destinationChainId } = deposit;
    const source = this.chain(originChainId).find(sourceHash);
    const stands = source?.included.logs.some((log) =>
      acrossDeposits(originChainId, [log]).some((one) => relayHash(one) === hash),
    );
    const home = this.chain(destinationChainId);
    if (stands !== true) {
      // A reorg may bring the same transfer back.
      this.#relaying.delete(hash);
      return;
    }
    if (findFill(home, hash) === null) {
      this.counts.relayed += 1;
      home.send({
        ...{ from: RELAYER, to: SPOKE_POOL[destinationChainId] ?? FORGER, input: "0x02", value: 0n },
        run: (chain) => fill(chain, deposit),
      });
    }
    if (tries === 0)
      this.onArrival({
        user: slice(deposit.depositor, 12).toLowerCase() as Hex,
        amount: deposit.outputAmount,
      });
    if (tries < MAX_TRIES)
      this.#time.at(this.#time.now + RETRY_MS, () => this.#relay({ ...of, tries: tries + 1 }));
  }

  #acrossSays(sourceHash: Hex): ReturnType<SimulatedAcrossApi["say"]> {
    const originChainId = Number(BigInt(sourceHash) >> 200n);
    const found = this.chains[originChainId]?.find(sourceHash) ?? null;
    const [deposit] = found === null ? [] : acrossDeposits(originChainId, found.included.logs);
    if (deposit === undefined) return null;
    const { destinationChainId } = deposit;
    const filled = findFill(this.chain(destinationChainId), relayHash(deposit));
    const chains = { originChainId, destinationChainId };
    return filled === null
      ? { ...chains, status: "pending" }
      : { ...chains, status: "filled", fillTx: filled.one.sent.hash };
  }
}

const hasMinted = (included: Included, deposit: Parameters<typeof mintedIn>[1]): boolean =>
  included.succeeded && mintedIn(included, deposit) > 0n;

/** Returns a transaction hash that no chain knows. */
export const inventedHash = (random: Random): Hex =>
  numberToHex((1n << 250n) + BigInt(random.below(2 ** 31)), { size: 32 });
