import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../../scripts/db/connect.ts";
import { snapshotFile } from "../../../scripts/stack/emulators/neon/snapshot.ts";
import type { HubAddresses, HubInput } from "../../../scripts/stack/hub/main.ts";
import { Child } from "../../../scripts/stack/processes/child.ts";

const root = join(import.meta.dirname, "../../..");

/** The emulators, running in a process of their own as in the stack. */
export interface TestHub extends HubAddresses {
  token: string;
  child: Child;
  close(): Promise<void>;
}

/** Starts the emulators. */
export async function startHub(chainIds: readonly number[] = []): Promise<TestHub> {
  const { child, close } = startProcess("hub");
  const token = "a-token-of-the-tests";
  const input: HubInput = {
    databaseUrl: process.env["TEST_DATABASE_URL"] ?? null,
    redisUrl: process.env["TEST_REDIS_URL"] ?? null,
    snapshotFile: snapshotFile(root),
    credentials: { user: "causeway", password: "causeway", database: "causeway" },
    redisToken: token,
    chainIds,
  };
  const addresses = await child.ask<HubAddresses>("start", input);
  return { ...addresses, token, child, close };
}

/** Starts one of the stack's processes, with its log in a temporary directory. */
export function startProcess(name: "hub" | "chains"): { child: Child; close(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), "causeway-test-"));
  const entry = join(root, "scripts/stack", name, "main.ts");
  const child = new Child({ name, entry, logFile: join(folder, `${name}.log`) });
  const close = async () => {
    await child.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { child, close };
}

/** Returns the connection string of the emulated database. */
export const connectionString = ({ neon: url }: HubAddresses, user = "causeway:causeway"): string =>
  `postgresql://${user}@${new URL(url).host}/causeway`;

/** Returns the production driver, configured for the emulator as the Worker configures it. */
export function openDriver(hub: HubAddresses, user?: string) {
  return connect({ databaseUrl: connectionString(hub, user), endpoint: `${hub.neon}/sql` });
}

/** Sets an emulator's faults and returns its response. */
export async function control(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/__control`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

/** Clears an emulator's faults. */
export const clearFaults = (url: string) => fetch(`${url}/__control`, { method: "DELETE" });
