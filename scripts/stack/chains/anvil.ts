import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import { rpc, rpcBatch } from "./json-rpc.ts";

const TWO_DAYS = 172_800;
/**
 * Blocks whose states a chain answers from, as many as geth keeps by default. Without this limit anvil writes a state of
 * megabytes to disk for each block, which fills the disk in a long run and stays there if the process is killed.
 */
const KEPT_STATES = 128;
const require = createRequire(import.meta.url);

/** A running anvil. */
export interface Anvil {
  url: string;
  pid: number;
  close(): Promise<void>;
}

/** Path of the platform's binary; the `anvil` on the path is a script that would start it. */
function anvilBinary(): string {
  const platform = process.platform === "win32" ? "win32" : process.platform;
  const cpu = process.arch === "x64" ? "amd64" : process.arch;
  const file = process.platform === "win32" ? "anvil.exe" : "anvil";
  const host = require.resolve("@foundry-rs/anvil/package.json");
  return createRequire(host).resolve(`@foundry-rs/anvil-${platform}-${cpu}/bin/${file}`);
}

/**
 * Starts a chain on a free port with a clock two days in the past, so that deployments can move its time forward and
 * stay behind the wall clock. It mines every transaction at once and has anvil's default accounts.
 */
export function startAnvil(chainId: number): Promise<Anvil> {
  const started = Math.floor(Date.now() / 1000) - TWO_DAYS;
  return runAnvil("--chain-id", `${chainId}`, "--timestamp", `${started}`);
}

/** Starts a chain from the state that {@link saveAnvil} wrote; its clock is the wall clock. */
export function resumeAnvil(chainId: number, stateFile: string): Promise<Anvil> {
  return runAnvil("--chain-id", `${chainId}`, "--load-state", stateFile);
}

/** Writes a chain's accounts, blocks and transactions to a file, without the states of earlier blocks. */
export async function saveAnvil(url: string, stateFile: string): Promise<void> {
  const state = String(await rpc(url, "anvil_dumpState", false));
  writeFileSync(stateFile, gunzipSync(Buffer.from(state.slice(2), "hex")));
}

/**
 * Starts anvil on a free port with these flags; throws if it ends before it listens. It keeps the states of the last
 * {@link KEPT_STATES} blocks in memory and none on disk.
 */
export async function runAnvil(...flags: readonly string[]): Promise<Anvil> {
  const options = ["--port", "0", "--prune-history", `${KEPT_STATES}`, ...flags];
  const child = spawn(anvilBinary(), options, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await listening(child);
  const close = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { url, pid: child.pid ?? 0, close };
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk.toString();
      const found = /Listening on (\S+:\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(`http://${found}`);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`anvil ended with code ${code}: ${output.slice(-400)}`)));
  });
}

/** Moves the chain's clock forward by `seconds` and mines a block. */
export async function advanceTime(url: string, seconds: number): Promise<void> {
  await rpcBatch(url, [
    { method: "evm_increaseTime", params: [seconds] },
    { method: "evm_mine", params: [] },
  ]);
}

/**
 * Mines a block whose timestamp is later than `time`, in unix seconds, and returns the timestamp. Moves the chain's clock
 * only if it has not passed that time.
 */
export async function advancePast(url: string, time: number): Promise<number> {
  await rpc(url, "evm_mine");
  const passed = await headTime(url);
  if (passed > time) return passed;
  await rpcBatch(url, [
    { method: "evm_setNextBlockTimestamp", params: [time + 1] },
    { method: "evm_mine", params: [] },
  ]);
  return headTime(url);
}

const HeadTime = z.object({ timestamp: z.string().transform(Number) });

const headTime = async (url: string): Promise<number> =>
  HeadTime.parse(await rpc(url, "eth_getBlockByNumber", "latest", false)).timestamp;

/** Moves the chain's clock to ten seconds before now; it runs with the wall clock from there. */
export async function advanceToNow(url: string): Promise<void> {
  await rpc(url, "evm_setNextBlockTimestamp", Math.floor(Date.now() / 1000) - 10);
  await rpc(url, "evm_mine");
}
