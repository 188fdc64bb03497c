import { Agent, request as httpRequest } from "node:http";
import { ATTACKER, type EmulatorAnswer, renameFields } from "../emulators/faults.ts";
import type { Emulator, EmulatorRequest } from "../emulators/server.ts";

const LIMIT = 16 * 1024 * 1024;

/** A node's JSON-RPC endpoint behind the fault layer; adds about half a millisecond per request. */
export function rpcEmulator(chainId: number, upstream: Promise<string>): Emulator {
  const agent = new Agent({ keepAlive: true });
  return {
    name: `rpc ${chainId}`,
    handle: async (request) => forward(agent, await upstream, request),
    maxBodyBytes: LIMIT,
    tooLarge: () => ({ status: 413, body: JSON.stringify({ error: "request entity too large" }) }),
    drift: renameFields,
    hostile: falsifyRpc,
  };
}

function forward(agent: Agent, url: string, { method, headers, body }: EmulatorRequest) {
  const type = headers["content-type"];
  const options = { agent, method, headers: type === undefined ? {} : { "content-type": type } };
  return new Promise<EmulatorAnswer>((resolve, reject) => {
    const outgoing = httpRequest(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const contentType = incoming.headers["content-type"];
        resolve({
          status: incoming.statusCode ?? 502,
          headers: contentType === undefined ? {} : { "content-type": contentType },
          body: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Falsifies a response: every address becomes the attacker's and every other number is doubled. */
function falsifyRpc(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(falsifyRpc);
  if (json === null || typeof json !== "object" || !("result" in json)) return json;
  return { ...json, result: lieAbout(json.result) };
}

function lieAbout(value: unknown): unknown {
  if (typeof value === "string") return lieInHex(value);
  if (Array.isArray(value)) return value.map(lieAbout);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, lieAbout(item)]));
}

function lieInHex(text: string): string {
  if (!/^0x[0-9a-fA-F]+$/.test(text)) return text;
  if (text.length === 42) return ATTACKER;
  if (text.length < 42) return `0x${(BigInt(text) * 2n).toString(16)}`;
  return text.replace(/^0x.*/, (hex) => `0x${hex.slice(2).replace(/[0-9a-fA-F]{64}/g, falsifyWord)}`);
}

/** Treats a word between 2^96 and 2^160 as an address; leaves small words, offsets and lengths, unchanged. */
function falsifyWord(word: string): string {
  const value = BigInt(`0x${word}`);
  if (value <= 0xffffn || value >= 1n << 255n) return word;
  const lied = value >= 1n << 96n && value < 1n << 160n ? BigInt(ATTACKER) : value * 2n;
  return lied.toString(16).padStart(64, "0");
}
