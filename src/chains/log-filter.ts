/**
 * Contracts and topics to match, lowercase, as `eth_getLogs` takes them: a log matches if one of the contracts emitted
 * it and each list contains the topic at its position. Null instead of a list matches any topic.
 */
export interface LogFilter {
  addresses: readonly string[];
  topics: readonly (readonly string[] | null)[];
}

/**
 * Converts the topics that viem's `encodeEventTopics` returns to lowercase lists, one for each topic position. Null
 * stands for a position at which any topic matches.
 */
export function toTopicLists(
  topics: readonly (string | readonly string[] | null | undefined)[],
): LogFilter["topics"] {
  return topics.map((topic) => {
    if (topic == null) return null;
    return (typeof topic === "string" ? [topic] : topic).map((one) => one.toLowerCase());
  });
}

/** The events to read from each contract. Addresses and topics are lowercase. */
export interface LogSubscription {
  /** First topics (event signatures) of all events, of any contract. */
  topics: readonly string[];
  /** First topics of the events to read, by contract address. */
  topicsBy: ReadonlyMap<string, ReadonlySet<string>>;
  /** Filter of further events, of which their contracts emit too many to read them all. Absent: none. */
  further?: LogFilter | undefined;
}

/** Maximum lengths of the lists in one `eth_getLogs` request. `topics` applies to each topic position. */
export interface FilterLimits {
  addresses: number;
  topics: number;
}

/**
 * Returns log filters within the limits that together cover a subscription. They may also match events that the
 * subscription wants only from another contract; the caller must ignore those.
 */
export function toLogFilters(subscription: LogSubscription, limits: FilterLimits): LogFilter[] {
  const { further } = subscription;
  const filters = chunk(subscription.topics, limits.topics).flatMap((topics) => {
    const emitters = [...subscription.topicsBy].filter(([, wanted]) =>
      topics.some((topic) => wanted.has(topic)),
    );
    const addresses = emitters.map(([address]) => address);
    return chunk(addresses, limits.addresses).map((some) => ({ addresses: some, topics: [topics] }));
  });
  return further === undefined ? filters : [...filters, ...splitFilter(further, limits)];
}

/** Maximum length of topic lists with which `toFewLogFilters` leaves the topics out. */
const FEW_TOPICS = 8;

/**
 * Returns log filters like `toLogFilters`, but for all events of the contracts if the topics would have to be split into
 * lists of eight or fewer: that would take a request for each list in every window of blocks. The caller must ignore
 * what the subscription does not want.
 */
export function toFewLogFilters(subscription: LogSubscription, limits: FilterLimits): LogFilter[] {
  if (limits.topics > FEW_TOPICS || subscription.topics.length <= limits.topics)
    return toLogFilters(subscription, limits);
  return splitFilter({ addresses: [...subscription.topicsBy.keys()], topics: [] }, limits);
}

/** Splits a log filter into filters within the limits that together match the same logs. */
export function splitFilter(filter: LogFilter, limits: FilterLimits): LogFilter[] {
  let lists: (readonly string[] | null)[][] = [[]];
  for (const list of filter.topics) {
    const parts = list === null ? [null] : chunk(list, limits.topics);
    lists = lists.flatMap((topics) => parts.map((part) => [...topics, part]));
  }
  return chunk(filter.addresses, limits.addresses).flatMap((addresses) =>
    lists.map((topics) => ({ addresses, topics })),
  );
}

/**
 * Returns the lengths of the longest address list and the longest topic list among log filters. Each is at least 1,
 * also if there is no list.
 */
export function longestLists(filters: readonly LogFilter[]): FilterLimits {
  const lists = filters.flatMap(({ topics }) => topics.map((list) => list?.length ?? 1));
  return {
    addresses: Math.max(1, ...filters.map(({ addresses }) => addresses.length)),
    topics: Math.max(1, ...lists),
  };
}

function chunk<T>(list: readonly T[], size: number): T[][] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size));
}
