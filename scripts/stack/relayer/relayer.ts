import { pad } from "viem";
import type { BridgeChains } from "../bridge/bridge-chains.ts";
import { advancePast } from "../chains/anvil.ts";
import type { Relayer as Settings } from "../emulators/control.ts";
import { deliverMessaging, outputTokenOf, refundMessaging } from "./deliver-messaging.ts";
import { DepositWatcher } from "./deposit-watcher.ts";
import { fill } from "./fill.ts";
import { findFill } from "./find-fill.ts";
import { Ledger } from "./ledger.ts";
import { nextAction } from "./next-action.ts";
import { refund } from "./refund.ts";
import type { Transfer } from "./transfer.ts";

const PAUSE_MS = 100;
/** Milliseconds before a failed fill or refund is retried. */
const RETRY_MS = 1_000;

/** Returns the relayer's current settings of a service. */
export type SettingsOf = (service: "lifi" | "across") => Settings;

/**
 * Watches deposits on both chains and fills or refunds each according to the settings of the service that started it.
 */
export class BridgeRelayer {
  readonly ledger = new Ledger();
  readonly #bridgeChains: BridgeChains;
  readonly #settingsOf: SettingsOf;
  readonly #watchers: ReadonlyMap<number, DepositWatcher>;
  readonly #times = new Map<number, number>();
  /** Relay hashes that are being processed or wait for a retry. */
  readonly #busy = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(bridgeChains: BridgeChains, settingsOf: SettingsOf) {
    this.#bridgeChains = bridgeChains;
    this.#settingsOf = settingsOf;
    this.#watchers = new Map(
      [...bridgeChains].map(([id, chain]) => [id, new DepositWatcher(chain, this.ledger)]),
    );
  }

  start(): void {
    const round = async () => {
      await this.poll().catch((error: unknown) => console.error("relayer:", error));
      if (!this.#closed) this.#timer = setTimeout(round, PAUSE_MS);
    };
    void round();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Reads new deposits of both chains and starts the due actions. */
  async poll(): Promise<void> {
    const looks = [...this.#watchers].map(async ([chainId, watcher]) => {
      this.#times.set(chainId, await watcher.poll());
    });
    await Promise.all(looks);
    for (const transfer of this.ledger.open()) {
      if (!this.#busy.has(transfer.relayHash)) void this.#act(transfer);
    }
  }

  async #act(transfer: Transfer): Promise<void> {
    const relayer = this.#settingsOf(transfer.lifi === null ? "across" : "lifi");
    const destinationTime = this.#times.get(transfer.destinationChainId) ?? 0;
    const step = nextAction(transfer, { relayer, now: Date.now(), destinationTime });
    if (step === "wait") return;
    this.#busy.add(transfer.relayHash);
    try {
      if (step === "fill") await this.#fill(transfer, relayer);
      if (step === "outlast") await this.#outlast(transfer);
      if (step === "expire") transfer.state = "expired";
      if (step === "refund") await this.#refund(transfer);
      this.#busy.delete(transfer.relayHash);
    } catch (error) {
      if (!this.#closed) console.error(`${step} of ${transfer.depositTx}:`, error);
      setTimeout(() => this.#busy.delete(transfer.relayHash), RETRY_MS).unref();
    }
  }

  async #fill(transfer: Transfer, relayer: Settings): Promise<void> {
    const destination = this.#bridgeChains.get(transfer.destinationChainId);
    const origin = this.#bridgeChains.get(transfer.originChainId);
    if (destination === undefined || origin === undefined)
      throw new Error(`chain ${transfer.destinationChainId} is not bridged`);
    const { messaging } = transfer;
    if (messaging !== null) {
      transfer.relay.outputToken = pad(outputTokenOf(messaging, { origin, destination }));
      const delivered = await deliverMessaging({ ...transfer, messaging }, { origin, destination, relayer });
      Object.assign(transfer, delivered, { state: "filled" });
      return;
    }
    const found = await findFill(transfer, destination);
    Object.assign(transfer, found ?? (await fill(transfer, { destination, relayer })), { state: "filled" });
  }

  /** Moves the clocks of both chains past the fill deadline. Until then no pool refunds a transfer. */
  async #outlast({ originChainId, destinationChainId, relay }: Transfer): Promise<void> {
    const ends = [originChainId, destinationChainId].map(async (chainId) => {
      const chain = this.#bridgeChains.get(chainId);
      if (chain === undefined) throw new Error(`chain ${chainId} is not bridged`);
      this.#times.set(chainId, await advancePast(chain.url, relay.fillDeadline));
    });
    await Promise.all(ends);
  }

  /** Checks first for a fill by another relayer, so that a transfer is not paid twice. */
  async #refund(transfer: Transfer): Promise<void> {
    const origin = this.#bridgeChains.get(transfer.originChainId);
    if (transfer.messaging !== null && origin !== undefined) {
      Object.assign(transfer, await refundMessaging(transfer, origin), { state: "refunded" });
      return;
    }
    const destination = this.#bridgeChains.get(transfer.destinationChainId);
    const found = destination === undefined ? null : await findFill(transfer, destination);
    if (found !== null) Object.assign(transfer, found, { state: "filled" });
    else if (origin !== undefined)
      Object.assign(transfer, await refund(transfer, origin), { state: "refunded" });
  }
}
