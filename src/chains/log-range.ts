import { OutsideError } from "../lib/bounded-fetch.ts";
import { RpcError } from "./json-rpc.ts";

/** Size of one `eth_getLogs` request: blocks, contracts, and topics in its longest list. */
export interface LogQuerySize {
  blocks: number;
  addresses: number;
  topics: number;
}

/** Wider requests save little: their answers reach the nodes' limits on results first. */
const MAX_BLOCKS = 50_000;

/** Messages by which nodes refuse a range or the number of its logs; every implementation has its own. */
const RANGE_REFUSAL =
  /block ?range|range (?:is )?too|ranges? over|too (?:many|large|wide|big)|limit(?:ed)? (?:to|is|exceeded)|exceed|more than \d+|query returned|response size|log.*limit|up to a? ?\d|timed? ?out|max(?:imum)? (?:block|range|results?)/i;
/** Messages by which nodes refuse a list that is too long, and the words that name the list. */
const LIST_TOO_LONG = /too (?:many|long|large)|exceed|max|limit|up to|more than|at most/i;
const LIST_NAMES = { topics: /\btopics?\b/i, addresses: /\baddress(?:es)?\b|\bcontracts?\b/i } as const;
/** Messages about the rate of requests, not about their size. */
const RATE_LIMIT =
  /^429\b|too many requests|throttl|requests? limit|number of requests|\brate\b|requests?\b.*(?:count|per)|quota|credit|capacity|per (?:second|minute|day)|daily/i;
/** A limit that a refusal names. */
const NAMED_LIMIT =
  /(?:up to|at most|maximum|max|limited to|limit(?: is)?|exceeds?|within|over|than)\b[^0-9]{0,40}?([0-9][0-9,_]*)(k?)/i;

/** Blocks of the first request on a chain whose nodes have refused nothing yet. */
export const INITIAL_BLOCKS = 2_000;

/** Returns true when a node's message refuses the size of a request, so that a smaller one may be answered. */
export function isRangeRefusal(message: string): boolean {
  return RANGE_REFUSAL.test(message) && !RATE_LIMIT.test(message);
}

/**
 * Returns which size to reduce after a node refused a request with this message: the longer of the lists that it names,
 * else the blocks. Null when the message refuses something else, or the size cannot be smaller.
 */
export function shrinkQuery(asked: LogQuerySize, message: string): Partial<LogQuerySize> | null {
  if (isRateLimit(message)) return null;
  const lists = LIST_TOO_LONG.test(message)
    ? (["addresses", "topics"] as const).filter((list) => LIST_NAMES[list].test(message) && asked[list] > 1)
    : [];
  const [list] = lists.sort((a, b) => asked[b] - asked[a]);
  if (list !== undefined) return { [list]: reduceLimit(asked[list], message) };
  return isRangeRefusal(message) && asked.blocks > 1 ? { blocks: reduceLimit(asked.blocks, message) } : null;
}

/** Returns true when a node's message is about the rate of requests, not about their size. */
export const isRateLimit = (message: string): boolean => RATE_LIMIT.test(message);

/**
 * Returns which size to reduce after a request failed, null when its size is not the reason. With `anyRefusal` every
 * refusal that is not about the rate or a missing method counts as one of size, whatever its words.
 */
export function shrinkAfterFailure(
  asked: LogQuerySize,
  failure: { error: unknown; anyRefusal: boolean },
): Partial<LogQuerySize> | null {
  const { error, anyRefusal } = failure;
  const halved = asked.blocks > 1 ? { blocks: reduceLimit(asked.blocks, "") } : null;
  if (error instanceof RpcError) {
    const smaller = shrinkQuery(asked, error.message);
    const lacksMethod = error.kind === "unsupported" && !error.ofValues;
    return smaller ?? (anyRefusal && !lacksMethod && !isRateLimit(error.message) ? halved : null);
  }
  if (!(error instanceof OutsideError)) return null;
  if (error.kind === "too_large" || (error.kind === "status" && error.status === 413)) return halved;
  // A search asks the next node rather than wait for a slow one again.
  return error.kind === "timeout" && !anyRefusal ? halved : null;
}

/** Returns the blocks of the next request after an answered one: a sixteenth more. */
export function widenRange(blocks: number): number {
  return Math.min(MAX_BLOCKS, blocks + Math.max(1, Math.floor(blocks / 16)));
}

/** Returns the size to ask for after `asked` was refused: half of it, or the limit that the refusal names if that is less. */
export function reduceLimit(asked: number, message: string): number {
  const half = Math.max(1, Math.floor(asked / 2));
  const named = namedLimit(message);
  return named === null || named >= asked ? half : named;
}

function namedLimit(message: string): number | null {
  const [, digits, kilo] = NAMED_LIMIT.exec(message) ?? [];
  if (digits === undefined) return null;
  const blocks = Number(digits.replaceAll(/[,_]/g, "")) * (kilo === "" ? 1 : 1_000);
  return Number.isSafeInteger(blocks) && blocks >= 1 ? blocks : null;
}
