import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { z } from "zod";
import { sendRequest } from "../../../scripts/smoke/http-request.ts";
import { Child } from "../../../scripts/stack/processes/child.ts";
import { findPort } from "../../../scripts/stack/processes/port.ts";
import type { ListenInput } from "../../../scripts/stack/worker/main.ts";
import { workerVariables } from "../../../scripts/stack/worker/variables.ts";
import { Chain } from "../../../src/schemas/chain-schema.ts";
import { bodyOf } from "./http.ts";

const root = join(import.meta.dirname, "../../..");

/** A second isolate of the deployment, with the same database and chains but its own memory. */
export interface SecondWorker {
  readonly origin: string;
  /** Replaces the isolate by a new one of the same build, which has another origin. */
  restart(changes: WorkerChanges): Promise<void>;
  close(): Promise<void>;
}

/** Settings that differ from the stack's Worker. */
export interface WorkerChanges {
  /** RPC URLs by chain id that replace the stack's. */
  rpc?: Record<number, string>;
  /** Redis key prefix. Absent to use the stack's. */
  redisPrefix?: string;
  /** Control URL of a model of the platform's cache, which the Worker purges. */
  edgeCache?: string;
  /** Further environment variables. */
  variables?: Record<string, string>;
}

/** Builds the Worker again and runs it in addition to the stack's. */
export async function startWorker(changes: WorkerChanges): Promise<SecondWorker> {
  const configFile = join(root, "wrangler.toml");
  const folder = mkdtempSync(join(tmpdir(), "causeway-second-"));
  const entry = join(root, "scripts/stack/worker/main.ts");
  const child = new Child({ name: "second worker", entry, logFile: join(folder, "worker.log") });
  const close = async () => {
    await child.close();
    rmSync(folder, { recursive: true, force: true });
  };
  let origin = "";
  const restart = async (wanted: WorkerChanges): Promise<void> => {
    const port = await findPort(0);
    const next = `http://127.0.0.1:${port}`;
    const variables = await variablesFor(next, wanted);
    const edgeCache = wanted.edgeCache ?? null;
    const input: ListenInput = { configFile, port, variables, cronEveryMs: null, edgeCache };
    await child.ask<void>("listen", input);
    origin = next;
  };
  try {
    await child.ask<void>("build", configFile);
    await restart(changes);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get origin() {
      return origin;
    },
    restart,
    close,
  };
}

/** Returns the variables of such a Worker, listening at `api`. */
export async function variablesFor(api: string, changes: WorkerChanges): Promise<Record<string, string>> {
  const stack = inject("stack");
  const { username: user, password, pathname } = new URL(stack.database_url);
  const listed = bodyOf(await sendRequest(`${stack.api}/v1/chains`), { schema: z.array(Chain) });
  const base = workerVariables({
    api,
    hub: { ...stack.emulators, rpc: { ...stack.emulators.rpc, ...changes.rpc } },
    credentials: { user, password, database: pathname.slice(1) },
    redisToken: stack.redis_token,
    adminToken: stack.admin_token,
    chains: stack.chains.map(({ chain_id, name, contracts }) => ({
      chain_id,
      name,
      key: listed.find((chain) => chain.chain_id === chain_id)?.key ?? name,
      wrapped_native: contracts.tokens.WETH.address,
      contracts,
    })),
  });
  const prefix = changes.redisPrefix === undefined ? {} : { REDIS_KEY_PREFIX: changes.redisPrefix };
  return { ...base, ...prefix, ...changes.variables };
}
