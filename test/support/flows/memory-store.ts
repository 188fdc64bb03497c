import { CHAIN_ID } from "../../../scripts/bench/vault-row.ts";
import type { FlowRow, FlowTip, VaultCoverage } from "../../../src/db/queries/flow-queries.ts";
import type { SourcedVault } from "../../../src/db/queries/flow-write-queries.ts";
import type { VaultRow } from "../../../src/db/queries/vault-queries.ts";
import type { FlowStore } from "../../../src/flows/flow-store.ts";
import { intersectRange, uniteRanges } from "../../../src/lib/block-ranges.ts";

const keyOf = ({ txHash, logIndex }: FlowRow): string => `${txHash} ${logIndex}`;

const triedAt = ({ conversionTriedAt }: FlowRow): number => conversionTriedAt?.getTime() ?? -1;

/** In-memory flow store of one chain. Its methods are atomic, like the batches of the database. */
export class MemoryFlows implements FlowStore {
  vaults: VaultRow[] = [];
  readonly coverage = new Map<string, VaultCoverage>();
  rows = new Map<string, FlowRow>();
  tip: FlowTip = {
    chainId: CHAIN_ID,
    version: 0,
    run: "",
    finalBlock: null,
    finalHash: null,
    headBlock: null,
    headHash: null,
    headTime: null,
    span: 40,
    movedAt: null,
    historyAt: null,
    error: null,
    controlsTo: null,
  };

  async load() {
    for (const { address, startBlock } of this.vaults) {
      const known = this.coverage.get(address);
      const fresh = { vaultAddress: address, source: "", followedFrom: null, done: [] };
      this.coverage.set(address, { ...(known ?? fresh), startBlock: startBlock ?? 0 });
    }
    const provisional = [...this.rows.values()].filter(({ final }) => !final);
    const vaults = this.vaults.flatMap((row) => {
      const coverage = this.coverage.get(row.address);
      return coverage === undefined ? [] : [{ row, coverage: { ...coverage } }];
    });
    return { tip: { ...this.tip }, vaults, provisional, withoutStart: [] };
  }

  async applyTip(step: Parameters<FlowStore["applyTip"]>[0]): Promise<boolean> {
    if (step.version !== this.tip.version) return false;
    const { run, final, head, span, movedAt } = step;
    this.tip = {
      ...this.tip,
      version: step.version + 1,
      run,
      finalBlock: final.number,
      finalHash: final.hash,
      headBlock: head.number,
      headHash: head.hash,
      headTime: head.time,
      span,
      movedAt,
      error: null,
    };
    for (const [key, row] of this.rows) if (!row.final) this.rows.delete(key);
    for (const row of step.rows) if (!this.rows.has(keyOf(row))) this.rows.set(keyOf(row), row);
    for (const [address, known] of this.coverage) {
      const followed = step.vaults.includes(address);
      const { followedFrom, done } = known;
      if (followed && followedFrom === null)
        this.coverage.set(address, { ...known, followedFrom: step.from });
      if (!followed && followedFrom !== null) {
        const read = { from: followedFrom, to: step.from - 1 };
        this.coverage.set(address, { ...known, followedFrom: null, done: uniteRanges([...done, read]) });
      }
    }
    return true;
  }

  async applyHistory(step: Parameters<FlowStore["applyHistory"]>[0]): Promise<void> {
    if (this.tip.finalBlock === null || this.tip.finalBlock < step.read.to) return;
    this.tip = { ...this.tip, historyAt: step.at, span: step.span };
    const same = step.vaults.filter(
      ({ vaultAddress, source }) => this.coverage.get(vaultAddress)?.source === source,
    );
    for (const { vaultAddress } of same) {
      const known = this.coverage.get(vaultAddress);
      if (known !== undefined)
        this.coverage.set(vaultAddress, { ...known, done: uniteRanges([...known.done, step.read]) });
    }
    const unchanged = new Set(same.map(({ vaultAddress }) => vaultAddress));
    for (const row of step.rows) {
      if (unchanged.has(row.vaultAddress) && this.rows.get(keyOf(row))?.final !== true)
        this.rows.set(keyOf(row), row);
    }
  }

  async addOmitted(step: Parameters<FlowStore["addOmitted"]>[0]): Promise<number> {
    const final = step.version === this.tip.version ? (this.tip.finalBlock ?? -1) : -1;
    const missed = step.rows.filter((row) => {
      const known = step.vaults.find(({ vaultAddress }) => vaultAddress === row.vaultAddress);
      const coverage = this.coverage.get(row.vaultAddress);
      const own = known !== undefined && coverage?.source === known.source;
      const within = row.blockNumber >= (coverage?.startBlock ?? 0) && row.blockNumber <= final;
      return own && within && !this.rows.has(keyOf(row));
    });
    for (const row of missed) this.rows.set(keyOf(row), row);
    return missed.length;
  }

  async unconverted(limit: number): Promise<FlowRow[]> {
    const open = [...this.rows.values()].filter(
      ({ final, assets, shares, conversionTries }) =>
        final && assets === null && shares !== null && conversionTries < 5,
    );
    return open
      .sort((a, b) => triedAt(a) - triedAt(b) || b.blockNumber - a.blockNumber)
      .slice(0, limit)
      .map((row) => ({ ...row }));
  }

  async noteConversions({ tried, failed, at }: Parameters<FlowStore["noteConversions"]>[0]): Promise<void> {
    for (const row of tried) {
      const conversionTries = row.conversionTries + 1;
      this.rows.set(keyOf(row), { ...row, conversionTries, conversionTriedAt: at });
    }
    for (const row of failed) this.rows.set(keyOf(row), { ...row, assets: null, conversionTriedAt: at });
  }

  async reset(vaults: readonly SourcedVault[]): Promise<void> {
    this.tip = { ...this.tip, version: this.tip.version + 1, run: "" };
    for (const { vaultAddress, source } of vaults) {
      const known = this.coverage.get(vaultAddress);
      if (known !== undefined)
        this.coverage.set(vaultAddress, { ...known, source, followedFrom: null, done: [] });
      for (const [key, row] of this.rows) if (row.vaultAddress === vaultAddress) this.rows.delete(key);
    }
  }

  async rewind(from: number): Promise<void> {
    const final = this.tip.finalBlock ?? -1;
    for (const [address, known] of this.coverage) {
      const followed = known.followedFrom === null ? [] : [{ from: known.followedFrom, to: final }];
      const done = intersectRange(uniteRanges([...known.done, ...followed]), { from: 0, to: from - 1 });
      this.coverage.set(address, { ...known, followedFrom: null, done });
    }
    const cleared = { finalBlock: null, finalHash: null, headBlock: null, headHash: null, headTime: null };
    this.tip = { ...this.tip, ...cleared, version: this.tip.version + 1, run: "" };
    for (const [key, row] of this.rows) {
      if (row.blockNumber >= from || !row.final) this.rows.delete(key);
    }
  }

  /** Does nothing: the vaults of schedules have known first blocks. */
  async noteStarts(): Promise<void> {}

  async newestFinal() {
    const final = [...this.rows.values()].filter((row) => row.final);
    const blocks = new Map(final.map((row) => [row.blockNumber, row.blockHash]));
    return [...blocks].sort(([a], [b]) => b - a).map(([number, hash]) => ({ number, hash }));
  }

  async noteRun(change: { error: string } | { historyAt: Date }): Promise<void> {
    this.tip = { ...this.tip, ...change };
  }
}
