import type { Hex } from "viem";
import type { Transfer } from "./transfer.ts";

/** All transfers since the start, oldest first. */
export class Ledger {
  readonly #transfers = new Map<Hex, Transfer>();

  has(relayHash: Hex): boolean {
    return this.#transfers.has(relayHash);
  }

  add(transfer: Transfer): void {
    this.#transfers.set(transfer.relayHash, transfer);
  }

  /** Forgets what a chain that went back does not hold any more: from a block on, all but these. */
  retain(chainId: number, { from, hashes }: { from: bigint; hashes: ReadonlySet<Hex> }): void {
    for (const { originChainId, depositBlock, relayHash } of this.#transfers.values())
      if (originChainId === chainId && depositBlock >= from && !hashes.has(relayHash))
        this.#transfers.delete(relayHash);
  }

  /** What may still have to be filled or refunded. */
  open(): Transfer[] {
    return this.all().filter(({ state }) => state === "pending" || state === "expired");
  }

  /** The newest transfer that fits. */
  find(fits: (transfer: Transfer) => boolean): Transfer | null {
    return this.all().findLast(fits) ?? null;
  }

  /** The transfers of one source transaction that Across carries, in the order of their logs. */
  ofDeposit(depositTx: Hex): Transfer[] {
    const own = this.all().filter(({ carried }) => carried === null);
    return own.filter((transfer) => transfer.depositTx === depositTx.toLowerCase());
  }

  all(): Transfer[] {
    return [...this.#transfers.values()];
  }
}
