import type { parseEventLogs } from "viem";
import type { NodeLog } from "../bridge/node-requests.ts";

type ParsedLog = Parameters<typeof parseEventLogs>[0]["logs"][number];

/** Casts a node's log to viem's type, without the fields that event parsing does not read. */
export const asLog = (log: NodeLog): ParsedLog => log as unknown as ParsedLog;
