import { CHAIN_ID, vaultAddress, vaultRow } from "../../../scripts/bench/vault-row.ts";
import { createBudget, type RequestBudget } from "../../../src/chains/rpc-request-budget.ts";
import type { TipStep } from "../../../src/db/queries/flow-write-queries.ts";
import type { VaultRow } from "../../../src/db/queries/vault-queries.ts";
import { auditLogs } from "../../../src/flows/audit-flow-logs.ts";
import { backfill } from "../../../src/flows/backfill-flows.ts";
import { loadIndexState, missingBlocks, missingBlocksOfAny } from "../../../src/flows/flow-index-state.ts";
import type { Indexer } from "../../../src/flows/flow-store.ts";
import { indexTip } from "../../../src/flows/index-flow-tip.ts";
import { uniteRanges } from "../../../src/lib/block-ranges.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { describe, describeLog, requireSameElements } from "./compare.ts";
import type { StoreUnderTest } from "./database-store.ts";
import { clientOf, drawNodeFaults, FakeNode, healthy } from "./nodes.ts";
import { type Random, randomOf } from "./random.ts";
import { FINALITY, World } from "./world.ts";

/** Counts of what happened in a schedule, by which a test checks that all cases occurred. */
export interface Tally {
  steps: number;
  applied: number;
  late: number;
  killed: number;
  failed: number;
  reorgs: number;
  rows: number;
}

const VAULTS = 3;
/** Time in milliseconds for which a node is not trusted after it omitted an event that another node returned. */
const PATIENCE_MS = 5 * 60_000;
const MAX_RUNS = 3;

/**
 * Runs one random schedule: runs of the indexer overlap, are killed at any await, and use nodes that are down, behind,
 * forgetful or on another fork, while the chain grows and reorganizes. Throws if data stored as final is ever wrong, or
 * if anything is missing after all nodes have recovered.
 */
export async function playSchedule(seed: number, tested: StoreUnderTest): Promise<Tally> {
  return new Schedule(randomOf(seed), tested).play();
}

class Schedule {
  readonly #random: Random;
  readonly #tested: StoreUnderTest;
  readonly #world: World;
  readonly #foreign: World;
  /** True if nodes may omit events of their newest blocks. Data that is not final may then be incomplete. */
  readonly #forgetful: boolean;
  readonly #calm: boolean;
  readonly #nodes: readonly FakeNode[];
  readonly #registry: VaultRow[] = [];
  /** The vault that is currently unsupported, or null. */
  #hidden: string | null = null;
  /** Requests of runs that are waiting for permission to continue. */
  #waiting: { resume(): Promise<void> }[] = [];
  #running = 0;
  #clock = 1_700_000_000_000;
  #runs = 0;
  /**
   * The first error found in stored data. It is kept here because a run that receives it would only fail, as runs often
   * do in schedules.
   */
  #wrong: Error | null = null;
  readonly tally: Tally = { steps: 0, applied: 0, late: 0, killed: 0, failed: 0, reorgs: 0, rows: 0 };

  constructor(random: Random, tested: StoreUnderTest) {
    this.#random = random;
    this.#tested = tested;
    const addresses = Array.from({ length: VAULTS }, (_, index) => vaultAddress(index));
    this.#world = new World(random, addresses);
    this.#foreign = new World(random, addresses, 10 ** 9);
    this.#nodes = [1, 2, 3].map(() => new FakeNode(this.#world, this.#foreign));
    this.#forgetful = random.once(2);
    this.#calm = random.once(2);
  }

  async play(): Promise<Tally> {
    this.#world.mine(FINALITY + this.#random.below(120));
    this.#foreign.mine(4 * FINALITY);
    await this.#addVault();
    const steps = 150 + this.#random.below(250);
    for (let step = 0; step < steps; step += 1) {
      await this.#step();
      if (this.#wrong !== null) throw this.#wrong;
      this.tally.steps += 1;
    }
    await this.#settle();
    return this.tally;
  }

  async #step(): Promise<void> {
    const random = this.#random;
    // Where the chain rarely moves while it is read, runs build on one another; where it often does, few end.
    const resumes = random.below(this.#calm ? 12 : 3) > 0;
    if (resumes && this.#waiting.length > 0) return this.#resume();
    const choice = 11 + random.below(9);
    if (choice < 14 && this.#running < MAX_RUNS) return this.#start();
    if (choice === 14) this.#reorg();
    else if (choice === 15) this.#changeFaults();
    else if (choice === 16 && random.once(4)) await this.#addVault();
    else if (choice === 17 && random.once(12)) await this.#changeAdapter();
    else if (choice === 18 && random.once(4)) await this.#hideOrShow();
    else this.#world.mine(1 + random.below(random.once(8) ? 90 : 6));
    this.#clock += random.below(random.once(40) ? 600_000 : 2_000);
  }

  /** Lets one of the waiting requests continue, or kills its run before or after the request's effect. */
  async #resume(): Promise<void> {
    const [entry] = this.#waiting.splice(this.#random.below(this.#waiting.length), 1);
    await entry?.resume();
    await settled();
  }

  #gate = <T>(effect: () => T | Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const resume = async (): Promise<void> => {
        const fate = this.#random.below(60);
        if (fate === 0) return this.#kill();
        try {
          const value = await effect();
          if (fate === 1) return this.#kill();
          // What was done may look as if it had failed.
          if (fate === 2) reject(new Error("the answer was lost"));
          else resolve(value);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#waiting.push({ resume });
    });

  /** Kills a run: its pending request never settles. */
  #kill(): void {
    this.tally.killed += 1;
    this.#running -= 1;
  }

  async #start(): Promise<void> {
    this.#running += 1;
    const indexer = this.#indexer(this.#gate);
    const choice = this.#random.below(8);
    const work =
      choice === 0 ? this.#runAgain(indexer) : choice < 3 ? this.#runHistory(indexer) : this.#runTip(indexer);
    const end = (failed: number) => () => {
      this.tally.failed += failed;
      this.#running -= 1;
    };
    work.then(end(0), end(1));
    await settled();
  }

  #indexer(gate: <T>(effect: () => T | Promise<T>) => Promise<T>): Indexer {
    const { store } = this.#tested;
    const checked = async <T>(write: () => Promise<T>): Promise<T> => {
      const written = await write();
      try {
        await this.#checkFinal();
        if (!this.#forgetful) await this.#checkHead();
      } catch (error) {
        this.#wrong ??= error instanceof Error ? error : new Error(String(error));
      }
      return written;
    };
    return {
      chainId: CHAIN_ID,
      ...{ maxTopics: null, nodes: this.#nodes.length },
      client: clientOf(this.#nodes, gate),
      ...{ log: createLogger(() => undefined, {}), now: () => this.#clock },
      randomId: () => `run-${++this.#runs}`,
      store: {
        load: () => gate(() => store.load()),
        applyTip: (step) => gate(() => checked(() => this.#applyTip(step))),
        applyHistory: (step) => gate(() => checked(() => store.applyHistory(step))),
        addOmitted: (step) => gate(() => checked(() => store.addOmitted(step))),
        ...{ unconverted: async () => [], noteConversions: async () => undefined },
        reset: (vaults) => gate(() => store.reset(vaults)),
        rewind: (from) => gate(() => store.rewind(from)),
        noteStarts: (searches) => gate(() => store.noteStarts(searches)),
        newestFinal: () => gate(() => store.newestFinal()),
        noteRun: (change) => gate(() => store.noteRun(change)),
      },
    };
  }

  /** Stores a step, and checks that no valid data of a concurrent run was lost. */
  async #applyTip(step: TipStep): Promise<boolean> {
    const before = await this.#tested.store.load();
    const applied = await this.#tested.store.applyTip(step);
    const patient = this.#clock - (before.tip.movedAt?.getTime() ?? 0) < PATIENCE_MS;
    if (!applied || !patient) return applied;
    const told = new Set(step.rows.map(describe));
    for (const row of before.provisional) {
      const stands = this.#world.ancestor(step.head, row.blockNumber)?.hash === row.blockHash;
      if (
        stands &&
        row.blockNumber >= step.from &&
        step.vaults.includes(row.vaultAddress) &&
        !told.has(describe(row))
      )
        this.#wrong ??= new Error(`forgotten: ${describe(row)}`);
    }
    return applied;
  }

  /** Returns a random request budget. Some nodes accept only few contracts and event types per request. */
  #budget(of: { requests: number; blocks: number }): RequestBudget {
    const [addresses, topics] = this.#random.once(2) ? [500, 100] : [1 + this.#random.below(3), 1];
    return { ...createBudget({ ...of, topics }), addresses };
  }

  async #runTip(indexer: Indexer): Promise<void> {
    const state = await loadIndexState(indexer);
    const budget = this.#budget({ requests: 6 + this.#random.below(24), blocks: state.tip.span });
    const report = await indexTip(indexer, { state, budget });
    if (report.applied) this.tally.applied += 1;
    else this.tally.late += 1;
  }

  async #runHistory(indexer: Indexer): Promise<void> {
    const state = await loadIndexState(indexer);
    const missing = missingBlocksOfAny(state.vaults);
    const [first, last] = [missing[0], missing.at(-1)];
    if (first === undefined || last === undefined) return;
    const budget = this.#budget({ requests: 3 + this.#random.below(12), blocks: state.tip.span });
    await backfill(indexer, { state, budget, blocks: { from: first.from, to: last.to } });
  }

  async #runAgain(indexer: Indexer): Promise<void> {
    const state = await loadIndexState(indexer);
    if (state.vaults.some(({ coverage }) => coverage.followedFrom === null)) return;
    if (missingBlocksOfAny(state.vaults).length > 0) return;
    const { version } = state.tip;
    const drawn = this.#random.below(1_000).toString(16);
    const budget = this.#budget({ requests: 10 + this.#random.below(12), blocks: state.tip.span });
    await auditLogs({ ...indexer, randomId: () => drawn }, { state, version, budget });
  }

  #reorg(): void {
    const depth = this.#random.once(4) ? FINALITY : 1 + this.#random.below(FINALITY);
    const before = [...this.#world.blocks];
    this.#world.reorg(depth);
    for (const node of this.#nodes) if (!node.faults.stale) node.before = before;
    this.tally.reorgs += 1;
  }

  #changeFaults(): void {
    const random = this.#random;
    // A chain that nobody knows yet could be any.
    const drawn = drawNodeFaults(random, { forgetful: this.#forgetful, foreign: this.tally.applied > 0 });
    const node = random.pick(this.#nodes);
    // When all nodes deny what is stored, they are believed: one has to stay on the chain, if not always well.
    if ((drawn.foreign === true || drawn.stale === true) && node === this.#nodes[2]) return;
    node.faults = { ...healthy, ...drawn };
  }

  async #addVault(): Promise<void> {
    if (this.#registry.length === VAULTS) return;
    const number = this.#registry.length;
    this.#registry.push(vaultRow({ number, startBlock: this.#random.below(80) }));
    await this.#publish();
  }

  async #hideOrShow(): Promise<void> {
    this.#hidden = this.#hidden === null ? this.#random.pick(this.#registry).address : null;
    await this.#publish();
  }

  #publish(): Promise<void> {
    return this.#tested.setVaults(this.#registry.filter(({ address }) => address !== this.#hidden));
  }

  /** Changes a vault's adapter to one that indexes the same events, so that the vault's history must be read again. */
  async #changeAdapter(): Promise<void> {
    const row = this.#random.pick(this.#registry);
    row.adapter = row.adapter === "erc4626" ? "metamorpho" : "erc4626";
    await this.#publish();
  }

  /** Ends all faults. After a few undisturbed runs, all data must be complete. */
  async #settle(): Promise<void> {
    this.#waiting = [];
    this.#hidden = null;
    await this.#publish();
    for (const node of this.#nodes) node.faults = { ...healthy };
    this.#world.mine(FINALITY);
    const indexer = this.#indexer(async (effect) => effect());
    for (let round = 0; round < 40; round += 1) {
      const state = await loadIndexState(indexer);
      const budget = createBudget({ requests: 60, blocks: state.tip.span, topics: null });
      const { indexed } = await indexTip(indexer, { state, budget });
      const moved = await loadIndexState(indexer);
      const missing = missingBlocksOfAny(moved.vaults);
      if (indexed === this.#world.head.number && missing.length === 0) break;
      const blocks = { from: 0, to: this.#world.head.number };
      await backfill(indexer, { state: moved, budget, blocks });
    }
    const expected = this.#registry.flatMap(({ address, startBlock }) =>
      this.#expected(address, { from: startBlock ?? 0, to: this.#world.head.number }),
    );
    const rows = await this.#tested.rows();
    this.tally.rows = rows.length;
    // What lies before a vault's first block was not asked for, but is no lie.
    const starts = new Map(this.#registry.map(({ address, startBlock }) => [address, startBlock ?? 0]));
    const own = rows.filter(
      ({ vaultAddress: address, blockNumber }) => blockNumber >= (starts.get(address) ?? 0),
    );
    requireSameElements("in the end", own.map(describe), expected);
  }

  /** Checks that the data stored as final equals the chain's, no more and no less. */
  async #checkFinal(): Promise<void> {
    const state = await this.#tested.store.load();
    const rows = await this.#tested.rows();
    const final = state.tip.finalBlock ?? -1;
    for (const { coverage } of state.vaults) {
      const { vaultAddress: address, followedFrom, done } = coverage;
      const tail = followedFrom === null ? [] : [{ from: followedFrom, to: final }];
      const expected = uniteRanges([...done, ...tail]).flatMap((span) => this.#expected(address, span));
      const stored = rows.filter((row) => row.vaultAddress === address && row.final);
      const read = stored.filter(({ blockNumber }) => blockNumber <= final);
      requireSameElements(`final flows of ${address}`, read.map(describe), expected);
      if (missingBlocks(coverage).some(({ to }) => to > final))
        throw new Error("history above the final block");
    }
  }

  /** Checks that the data that is not final comes from a single fork, whichever that is, and never from several. */
  async #checkHead(): Promise<void> {
    const { tip, vaults } = await this.#tested.store.load();
    const followed = new Set(
      vaults.filter(({ coverage }) => coverage.followedFrom !== null).map(({ row }) => row.address),
    );
    const expected: string[] = [];
    let block = this.#world.known.get(tip.headHash ?? "") ?? null;
    for (; block !== null && block.number > (tip.finalBlock ?? 0); block = block.parent)
      expected.push(...block.logs.filter(({ address }) => followed.has(address)).map(describeLog));
    const rows = (await this.#tested.rows()).filter(
      ({ final, vaultAddress }) => !final && followed.has(vaultAddress),
    );
    requireSameElements(`flows below head ${tip.headBlock}`, rows.map(describe), expected);
  }

  #expected(address: string, span: { from: number; to: number }): string[] {
    const blocks = this.#world.blocks.slice(span.from, span.to + 1);
    return blocks.flatMap(({ logs }) => logs.filter((log) => log.address === address).map(describeLog));
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
