import type { parseEventLogs } from "viem";
import type { NodeLog } from "../bridge/node.ts";

type ParsedLog = Parameters<typeof parseEventLogs>[0]["logs"][number];

/** viem wants every field of a log; those that parsing does not read are left out. */
export const asLog = (log: NodeLog): ParsedLog => log as unknown as ParsedLog;
