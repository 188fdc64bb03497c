import { inject } from "vitest";
import type { Fault } from "../../../scripts/stack/emulators/control.ts";

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

/** Makes emulators fail while the work runs. */
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
  }
}

async function control(emulator: string, init: RequestInit): Promise<void> {
  const response = await fetch(`${emulator}/__control`, init);
  if (!response.ok) throw new Error(`${emulator}: ${await response.text()}`);
  await response.arrayBuffer();
}
