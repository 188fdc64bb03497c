import type { Bridge } from "../bridge/start-bridge.ts";
import type { DeployedChain } from "../chains/deploy-chain.ts";
import { acrossEmulator } from "../emulators/across/endpoint.ts";
import { lifiEmulator } from "../emulators/lifi/endpoint.ts";
import { pricesEmulator } from "../emulators/prices/endpoint.ts";
import { StackPrices } from "../emulators/prices/price-settings.ts";
import { type ServedEmulator, serveEmulator } from "../emulators/server.ts";
import { swapsEmulator } from "../emulators/swaps/endpoint.ts";
import { veloraEmulator } from "../emulators/velora/endpoint.ts";
import type { HubAddresses } from "./main.ts";

/** The emulated providers and the price API. They listen immediately; requests wait until the chains are deployed. */
export class ProviderEmulators {
  readonly #bridge: Promise<Bridge>;
  #opened: (bridge: Bridge) => void = () => undefined;
  #lifi: ServedEmulator | null = null;
  #across: ServedEmulator | null = null;
  #swaps: ServedEmulator | null = null;
  #velora: ServedEmulator | null = null;
  #prices: ServedEmulator | null = null;
  #running: Bridge | null = null;
  readonly #deployed: Promise<readonly DeployedChain[]>;
  #noteDeployed: (deployments: readonly DeployedChain[]) => void = () => undefined;

  constructor() {
    this.#deployed = new Promise((resolve) => {
      this.#noteDeployed = resolve;
    });
    this.#bridge = new Promise((resolve) => {
      this.#opened = resolve;
    });
  }

  async serve(): Promise<Pick<HubAddresses, "lifi" | "across" | "swaps" | "velora" | "prices">> {
    const answerer = async (name: "lifi" | "across" | "swaps" | "velora") => (await this.#bridge)[name];
    this.#lifi = await serveEmulator(lifiEmulator(answerer("lifi")));
    this.#across = await serveEmulator(acrossEmulator(answerer("across")));
    this.#swaps = await serveEmulator(swapsEmulator(answerer("swaps")));
    this.#velora = await serveEmulator(veloraEmulator(answerer("velora")));
    this.#prices = await serveEmulator(pricesEmulator(new StackPrices(this.#deployed)));
    return {
      lifi: this.#lifi.url,
      across: this.#across.url,
      swaps: this.#swaps.url,
      velora: this.#velora.url,
      prices: this.#prices.url,
    };
  }

  /** Starts the bridge between the deployed chains. Imported on demand, because its modules load slowly. */
  async open(deployments: readonly DeployedChain[]): Promise<void> {
    this.#noteDeployed(deployments);
    const { startBridge } = await import("../bridge/start-bridge.ts");
    if (this.#lifi === null || this.#across === null) throw new Error("nothing is served");
    const controls = { lifi: this.#lifi.control, across: this.#across.control };
    this.#running = startBridge(deployments, controls);
    this.#opened(this.#running);
  }

  async close(): Promise<void> {
    this.#running?.close();
    const served = [this.#lifi, this.#across, this.#swaps, this.#velora, this.#prices];
    await Promise.all(served.map((one) => one?.close()));
  }
}
