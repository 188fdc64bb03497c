/** What one question about logs holds: blocks, contracts and kinds of events. */
export interface LogQuerySize {
  span: number;
  addresses: number;
  topics: number;
}

/** How many blocks one question about logs may cover, by what nodes have said so far. */
const INITIAL_BLOCKS = 2_000;
/** More saves little: fewer, larger answers hit the caps on results first. */
const MAX_BLOCKS = 50_000;

/** Words in which nodes refuse a range or what it holds; the wordings are as many as the nodes. */
const RANGE_REFUSAL =
  /block ?range|range (?:is )?too|ranges? over|too (?:many|large|wide|big)|limit(?:ed)? (?:to|is|exceeded)|exceed|more than \d+|query returned|response size|log.*limit|up to a? ?\d|timed? ?out|max(?:imum)? (?:block|range|results?)/i;
/** Words in which nodes refuse a list in the question, and those that name the list. */
const LIST_TOO_LONG = /too (?:many|long|large)|exceed|max|limit|up to|more than|at most/i;
const LIST_NAMES = { topics: /\btopics?\b/i, addresses: /\baddress(?:es)?\b|\bcontracts?\b/i } as const;
/** Words about how often one asks, not about how much. */
const RATE_LIMIT =
  /^429\b|too many requests|throttl|requests? limit|number of requests|\brate\b|requests?\b.*(?:count|per)|quota|credit|capacity|per (?:second|minute|day)|daily/i;
/** A number of blocks that such a refusal names. */
const NAMED_LIMIT =
  /(?:up to|at most|maximum|max|limited to|limit(?: is)?|exceeds?|within|over|than)\b[^0-9]{0,40}?([0-9][0-9,_]*)(k?)/i;

/** The span to begin with on a chain that was never asked. */
export const INITIAL_RANGE = INITIAL_BLOCKS;

/** Whether a node's words refuse the size of the question, so that a smaller one may be answered. */
export function isRangeRefusal(message: string): boolean {
  return RANGE_REFUSAL.test(message) && !RATE_LIMIT.test(message);
}

/**
 * What to make smaller after a node refused a question of that size in these words: the longer one of the lists that
 * they name, else the blocks. Null: they refuse something else, or it cannot be smaller.
 */
export function shrinkQuery(asked: LogQuerySize, message: string): Partial<LogQuerySize> | null {
  if (isRateLimit(message)) return null;
  const lists = LIST_TOO_LONG.test(message)
    ? (["addresses", "topics"] as const).filter((list) => LIST_NAMES[list].test(message) && asked[list] > 1)
    : [];
  const [list] = lists.sort((a, b) => asked[b] - asked[a]);
  if (list !== undefined) return { [list]: reduceLimit(asked[list], message) };
  return isRangeRefusal(message) && asked.span > 1 ? { span: reduceLimit(asked.span, message) } : null;
}

/** Whether a node's words are about how often one asks, not about what. */
export const isRateLimit = (message: string): boolean => RATE_LIMIT.test(message);

/** The next span after an answered question: a little more, by a sixteenth. */
export function widenRange(span: number): number {
  return Math.min(MAX_BLOCKS, span + Math.max(1, Math.floor(span / 16)));
}

/** What to ask for after `asked` of something was refused: half of it, or what the refusal names if that is less. */
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
