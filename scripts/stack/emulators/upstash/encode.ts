import { type Reply, RespError, RespStatus } from "./resp.ts";

/** A command's result or error, as REST returns it. */
export type Outcome = { result: unknown } | { error: string };

/** Converts a reply for REST; with `base64`, every string except `OK` is encoded. */
export function toOutcome(reply: Reply, base64: boolean): Outcome {
  return reply instanceof RespError ? { error: reply.message } : { result: toJson(reply, base64) };
}

function toJson(reply: Reply, base64: boolean): unknown {
  if (reply === null || typeof reply === "number") return reply;
  if (reply instanceof RespError) return reply.message;
  if (reply instanceof RespStatus) return encodeText(Buffer.from(reply.text), base64);
  if (isList(reply)) return reply.map((item) => toJson(item, base64));
  return encodeText(reply, base64);
}

const isList = (reply: Buffer | readonly Reply[]): reply is readonly Reply[] => Array.isArray(reply);

function encodeText(bytes: Buffer, base64: boolean): string {
  const text = bytes.toString("utf8");
  return !base64 || text === "OK" ? text : bytes.toString("base64");
}
