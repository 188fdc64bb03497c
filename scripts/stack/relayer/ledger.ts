import type { Hex } from "viem";
import type { Transfer } from "./transfer.ts";

/** All observed transfers, oldest first. */
export class Ledger {
  readonly #transfers = new Map<Hex, Transfer>();

  has(relayHash: Hex): boolean {
    return this.#transfers.has(relayHash);
  }

  add(transfer: Transfer): void {
    this.#transfers.set(transfer.relayHash, transfer);
  }

  /** Removes the transfers of a chain from block `from` on after a reorg, except those with the given hashes. */
  retain(chainId: number, { from, hashes }: { from: bigint; hashes: ReadonlySet<Hex> }): void {
    for (const { originChainId, depositBlock, relayHash } of this.#transfers.values())
      if (originChainId === chainId && depositBlock >= from && !hashes.has(relayHash))
        this.#transfers.delete(relayHash);
  }

  /** Returns the transfers that may still be filled or refunded. */
  open(): Transfer[] {
    return this.all().filter(({ state }) => state === "pending" || state === "expired");
  }

  /** Returns the newest transfer that matches. */
  find(fits: (transfer: Transfer) => boolean): Transfer | null {
    return this.all().findLast(fits) ?? null;
  }

  /** Returns the Across transfers of one source transaction, in log order. */
  ofDeposit(depositTx: Hex): Transfer[] {
    const own = this.all().filter(({ messaging }) => messaging === null);
    return own.filter((transfer) => transfer.depositTx === depositTx.toLowerCase());
  }

  all(): Transfer[] {
    return [...this.#transfers.values()];
  }
}
