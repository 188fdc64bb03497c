import { OutsideError } from "../lib/bounded-fetch.ts";
import { RpcError } from "./json-rpc.ts";

/** Size of one `eth_getLogs` request: the number of blocks, of contracts, and of topics in its longest list. */
export interface LogQuerySize {
  blocks: number;
  addresses: number;
  topics: number;
}

/**
 * Maximum number of blocks in one `eth_getLogs` request. Wider requests save little, because their results exceed the
 * nodes' limits first.
 */
const MAX_BLOCKS = 50_000;

/**
 * Matches error messages about the block range or the number of logs of a request; every node implementation words them
 * differently.
 */
const RANGE_REFUSAL =
  /block ?range|range (?:is )?too|ranges? over|too (?:many|large|wide|big)|limit(?:ed)? (?:to|is|exceeded)|exceed|more than \d+|query returned|response size|log.*limit|up to a? ?\d|timed? ?out|max(?:imum)? (?:block|range|results?)/i;
/** Matches error messages about a list that is too long, and the words that identify the list. */
const LIST_TOO_LONG = /too (?:many|long|large)|exceed|max|limit|up to|more than|at most/i;
const LIST_NAMES = { topics: /\btopics?\b/i, addresses: /\baddress(?:es)?\b|\bcontracts?\b/i } as const;
/** Matches error messages about the rate of requests, not about their size. */
const RATE_LIMIT =
  /^429\b|too many requests|throttl|requests? limit|number of requests|\brate\b|requests?\b.*(?:count|per)|quota|credit|capacity|per (?:second|minute|day)|daily/i;
/** Matches error messages about a block that the node does not have, or not yet, whatever the size of the request. */
const MISSING_BLOCK =
  /(?:header|block|history|state) (?:is )?(?:not|un)[ -]?(?:found|available)|unknown block|missing trie node|pruned|beyond (?:the )?(?:current |latest )*(?:head|block)|(?:after|greater than|past) (?:the )?(?:current |latest |last )*(?:head|block)/i;
/**
 * Matches a limit that an error message states, such as "up to 1000" or "max 10k", but no size in bytes and no time.
 */
const NAMED_LIMIT =
  /(?:up to|at most|maximum|max|limited to|limit(?: is)?|exceeds?|within|over|than)\b[^0-9]{0,40}?([0-9][0-9,_]*)(k?)(?!\w)(?!\s*(?:[kmg]i?b|bytes?|m?s|sec\w*)\b)/i;

/** Default number of blocks in the first `eth_getLogs` request of a reading. */
export const INITIAL_BLOCKS = 2_000;

/** Returns true if a node's error message seems to reject the size of a log request. */
export function isRangeRefusal(message: string): boolean {
  return RANGE_REFUSAL.test(message) && !RATE_LIMIT.test(message);
}

/**
 * Returns the one dimension of a log request to reduce, with its new size, after a node rejected the request with this
 * message. Null if the message is not about the size or the request cannot be smaller.
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

/** Returns true if a node's error message seems to be about the rate of requests. */
export const isRateLimit = (message: string): boolean => RATE_LIMIT.test(message);

/**
 * Returns the one dimension of a failed log request to reduce, with its new size, or null if a smaller request is not
 * worth trying. With `anyRefusal`, every JSON-RPC error counts as being about the size, except those about rate limits,
 * missing blocks and missing methods. A timeout counts only without it, a response that is too large or has the HTTP
 * status 413 always.
 */
export function shrinkAfterFailure(
  asked: LogQuerySize,
  failure: { error: unknown; anyRefusal: boolean },
): Partial<LogQuerySize> | null {
  const { error, anyRefusal } = failure;
  const halved = asked.blocks > 1 ? { blocks: reduceLimit(asked.blocks, "") } : null;
  if (error instanceof RpcError) {
    // Another node may have the block.
    if (anyRefusal && MISSING_BLOCK.test(error.message)) return null;
    const smaller = shrinkQuery(asked, error.message);
    const lacksMethod = error.kind === "unsupported" && !error.ofValues;
    return smaller ?? (anyRefusal && !lacksMethod && !isRateLimit(error.message) ? halved : null);
  }
  if (!(error instanceof OutsideError)) return null;
  if (error.kind === "too_large" || (error.kind === "status" && error.status === 413)) return halved;
  // A search tries the next node rather than wait for a slow node again.
  return error.kind === "timeout" && !anyRefusal ? halved : null;
}

/**
 * Returns the number of blocks for the next log request after a successful one: a sixteenth more, at least one, up to
 * 50,000.
 */
export function widenRange(blocks: number): number {
  return Math.min(MAX_BLOCKS, blocks + Math.max(1, Math.floor(blocks / 16)));
}

/**
 * Returns the reduced limit after a request of size `asked` was rejected: the limit that the error message states if it
 * is lower than `asked`, otherwise half of `asked`, at least 1.
 */
export function reduceLimit(asked: number, message: string): number {
  const half = Math.max(1, Math.floor(asked / 2));
  const named = namedLimit(message);
  return named === null || named >= asked ? half : named;
}

/**
 * Returns the limit that a node's error message seems to state for the number of blocks, if the message is about the
 * size of a request and the limit is lower than `asked`; otherwise null.
 */
export function statedBlocks(asked: number, message: string): number | null {
  const named = isRangeRefusal(message) ? namedLimit(message) : null;
  return named === null || named >= asked ? null : named;
}

/**
 * Returns true if a node's error message seems to reject the number of blocks of a log request: it is about its size
 * and mentions blocks or a range. True also for one about the results that proposes a block range.
 */
export const isBlockLimit = (message: string): boolean =>
  isRangeRefusal(message) && /block|range/i.test(message);

function namedLimit(message: string): number | null {
  const [, digits, kilo] = NAMED_LIMIT.exec(message) ?? [];
  if (digits === undefined) return null;
  const blocks = Number(digits.replaceAll(/[,_]/g, "")) * (kilo === "" ? 1 : 1_000);
  return Number.isSafeInteger(blocks) && blocks >= 1 ? blocks : null;
}
