import { randomUUID, timingSafeEqual } from "node:crypto";
import { type EmulatorAnswer, renameFields, replaceAddresses } from "../faults.ts";
import type { Emulator, EmulatorRequest } from "../server.ts";
import type { RedisBackend } from "./backend.ts";
import { Scripts } from "./commands.ts";
import { toOutcome } from "./encode.ts";
import { type Reply, RespError } from "./resp.ts";

const LIMIT = 10 * 1024 * 1024;
const METHODS = new Set(["GET", "HEAD", "POST", "PUT"]);

type Service = { redis: Promise<RedisBackend>; scripts: Scripts; token: string };

/** Upstash's Redis REST API over any Redis. Source: upstash/docs, redis/features/restapi.mdx. */
export function upstashEmulator(redis: Promise<RedisBackend>, token: string): Emulator {
  const service = { redis, scripts: new Scripts(), token };
  return {
    name: "upstash",
    handle: (request) => handle(service, request),
    maxBodyBytes: LIMIT,
    tooLarge: (bytes) =>
      refuse(400, `ERR max request size exceeded. Limit: ${LIMIT} bytes, Actual: ${bytes} bytes.`),
    drift: renameFields,
    hostile: replaceStoredAddresses,
  };
}

async function handle(service: Service, request: EmulatorRequest): Promise<EmulatorAnswer> {
  const url = new URL(request.path, "http://upstash");
  if (!METHODS.has(request.method)) return refuse(405, "method not allowed");
  const bearer = request.headers.authorization?.match(/^Bearer (.*)$/i)?.[1];
  if (!sameToken(bearer ?? url.searchParams.get("_token") ?? "", service.token))
    return refuse(401, "WRONGPASS invalid or missing auth token");
  const format = request.headers["upstash-response-format"];
  if (format !== undefined && format !== "json")
    return refuse(400, `ERR unsupported response format "${format}"`);
  const base64 = request.headers["upstash-encoding"] === "base64";
  const path = url.pathname.split("/").filter((part) => part !== "");
  if (path[0] === "pipeline" || path[0] === "multi-exec") {
    const commands = parseList(request.body);
    if (commands === null || !commands.every((command) => Array.isArray(command)))
      return refuse(400, "ERR failed to parse pipeline request");
    const lists = commands as unknown[][];
    return path[0] === "pipeline" ? pipeline(service, lists, base64) : multiExec(service, lists, base64);
  }
  const command = path.length === 0 ? parseList(request.body) : commandOfPath(path, url, request.body);
  if (command === null || command.length === 0) return refuse(400, "ERR failed to parse command");
  const outcome = toOutcome(await call(service, command), base64);
  return answer("error" in outcome ? 400 : 200, outcome);
}

/** Parses `/SET/key/value?EX=100`; a body is the last argument before those of the query. */
function commandOfPath(path: readonly string[], url: URL, body: Buffer): unknown[] {
  const options = [...url.searchParams].filter(([key]) => key !== "_token").flat();
  const last = body.length === 0 ? [] : [body.toString("utf8")];
  return [...path.map(decodeURIComponent), ...last, ...options.filter((word) => word !== "")];
}

async function call({ redis, scripts }: Service, command: readonly unknown[]): Promise<Reply> {
  const prepared = scripts.prepare(command);
  return "reply" in prepared ? prepared.reply : (await redis).call(prepared.argv);
}

/** Runs commands one after the other, not atomically: a failed command does not stop the next. */
async function pipeline(service: Service, commands: readonly unknown[][], base64: boolean) {
  const outcomes: unknown[] = [];
  for (const command of commands) outcomes.push(toOutcome(await call(service, command), base64));
  return answer(200, outcomes);
}

/** Runs all commands or none: rejects the whole request when one command is invalid. */
async function multiExec(service: Service, commands: readonly unknown[][], base64: boolean) {
  const prepared = commands.map((command) => service.scripts.prepare(command));
  const ready = prepared.flatMap((one) => ("argv" in one ? [one.argv] : []));
  const refused = prepared.find((one) => "reply" in one);
  if (refused !== undefined && "reply" in refused) {
    const reason = refused.reply instanceof RespError ? refused.reply.message : "ERR not in a transaction";
    return refuse(400, `EXECABORT Transaction discarded because of previous errors. ${reason}`);
  }
  const replies = await (await service.redis).transaction(ready);
  if (replies instanceof RespError) return refuse(400, replies.message);
  const outcomes = Array.isArray(replies) ? replies.map((reply: Reply) => toOutcome(reply, base64)) : [];
  return answer(200, outcomes);
}

function parseList(body: Buffer): unknown[] | null {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    return Array.isArray(json) ? json : null;
  } catch {
    return null;
  }
}

function sameToken(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const refuse = (status: number, error: string): EmulatorAnswer => answer(status, { error });

const answer = (status: number, value: unknown): EmulatorAnswer => ({
  status,
  headers: { "upstash-sync-token": `local:${randomUUID()}` },
  body: JSON.stringify(value),
});

/** Decodes stored values, which are base64 on the wire, to replace the addresses in them. */
function replaceStoredAddresses(json: unknown): unknown {
  if (typeof json === "string") {
    const stored = Buffer.from(json, "base64");
    if (stored.toString("base64") !== json) return replaceAddresses(json);
    return Buffer.from(String(replaceAddresses(stored.toString("utf8")))).toString("base64");
  }
  if (Array.isArray(json)) return json.map(replaceStoredAddresses);
  if (json === null || typeof json !== "object") return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, replaceStoredAddresses(value)]));
}
