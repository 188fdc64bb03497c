import { expect, inject, vi } from "vitest";
import * as z from "zod";
import type { Fault } from "../../../scripts/stack/emulators/control.ts";
import { sleep } from "../../../src/lib/timers.ts";

/** A fault with defaults for all fields but its kind. */
export type FaultInput = Partial<Fault> & Pick<Fault, "kind">;

/** Returns the URLs of the stack's emulators. */
export function emulators() {
  return inject("stack").emulators;
}

/** Returns the URL of the fault layer in front of a chain's node. */
export function rpcEmulator(chainId: number): string {
  const url = emulators().rpc[chainId];
  if (url === undefined) throw new Error(`no fault layer in front of chain ${chainId}`);
  return url;
}

/**
 * How long what is asked hangs at least, in milliseconds: an answer in less time did not wait for it. It is far above the
 * service's own deadlines, which a busy machine exceeds.
 */
export const HANG_MS = 20_000;

/**
 * Makes emulators fail while the work runs. Then waits until the Worker uses the dependencies that did not respond
 * again.
 */
export async function withFaults<T>(
  plan: { emulators: readonly string[]; faults: readonly FaultInput[] },
  work: () => Promise<T>,
): Promise<T> {
  const body = JSON.stringify({ faults: plan.faults });
  const all = (init: RequestInit) => Promise.all(plan.emulators.map((url) => control(url, init)));
  await all({ method: "POST", body });
  try {
    return await work();
  } finally {
    await all({ method: "DELETE" });
    if (plan.faults.some(({ kind }) => hangs.has(kind))) await untilBreakersLetPass();
  }
}

const hangs: ReadonlySet<Fault["kind"]> = new Set(["timeout", "latency"]);
const Details = z.object({ breakers: z.array(z.object({ state: z.string() })) });

/** Waits until no circuit breaker is open, then sends the requests by which each breaker tests its dependency. */
async function untilBreakersLetPass(): Promise<void> {
  const { api } = inject("stack");
  await vi.waitFor(
    async () => {
      const details = Details.parse(await (await fetch(`${api}/health/details`)).json());
      expect(details.breakers.map(({ state }) => state)).not.toContain("open");
    },
    { timeout: 240_000, interval: 100 },
  );
  // An older report would be served without asking the dependencies.
  await sleep(5_000);
  await (await fetch(`${api}/health/ready`)).arrayBuffer();
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ address: `0x${"11".repeat(20)}` });
  await (await fetch(`${api}/v1/partners/nonce`, { method: "POST", headers, body })).arrayBuffer();
  // A breaker lets one request try; what a test asks at the same time would be refused until that is answered.
  for (const trial of providerTrials())
    await (await fetch(`${api}/v1/quote`, { method: "POST", headers, body: trial })).arrayBuffer();
}

/** Returns the bodies of quote requests that use every provider: across chains, and for a swap on one chain. */
function providerTrials(): string[] {
  const { chains, vaults } = inject("stack");
  const vault = vaults.find(({ name }) => name === "Local Prime USDC");
  return chains.map(({ chain_id, contracts: { tokens } }) => {
    const paid = chain_id === vault?.chain_id ? tokens["WETH"] : tokens["USDC"];
    return JSON.stringify({
      ...{ from_chain_id: chain_id, from_token: paid?.address, vault_id: vault?.vault_id },
      from_amount: String(10n ** BigInt(paid?.decimals ?? 0)),
      user_address: `0x${"11".repeat(20)}`,
    });
  });
}

async function control(emulator: string, init: RequestInit): Promise<void> {
  const response = await fetch(`${emulator}/__control`, init);
  if (!response.ok) throw new Error(`${emulator}: ${await response.text()}`);
  await response.arrayBuffer();
}
