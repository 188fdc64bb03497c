import { and, asc, desc, eq, sql as raw, type SQL } from "drizzle-orm";
import * as z from "zod";
import type { BlockId, BlockRange } from "../../lib/block-ranges.ts";
import type { Database } from "../database-client.ts";
import { deposits, underWay, unproven } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints, followedChains } from "../tables/deposit-tracking-tables.ts";
import { formatBlockSet } from "../tables/table-columns.ts";

/** A row of the table `followed_chains`: how far a chain has been read for events of deposits and withdrawals. */
export type FollowedChain = typeof followedChains.$inferSelect;

const ChainIds = z.array(z.object({ chain_id: z.coerce.number() }));

/**
 * SQL condition of the deposits whose token reached the user, who may still deposit it: for 30 days. A second step that
 * is reported later is read without the chain's logs.
 */
const mayBeContinued = raw`${deposits.state} = 'partial' and ${deposits.shares} is null
  and ${deposits.direction} = 'deposit' and ${deposits.updatedAt} > now() - interval '30 days'`;

/**
 * Selects which of the given chains must be read, in ascending order: source and vault chains of unproven or failed
 * rows, all chains of those in progress, vault chains of partial deposits without shares that changed in the last 30
 * days, and chains with evidence that is not final. Throws `store_unavailable`.
 */
export async function selectChainsToFollow(db: Database, chainIds: readonly number[]): Promise<number[]> {
  const given = raw`(select jsonb_array_elements_text(${JSON.stringify(chainIds)}::jsonb)::int4 as chain_id) as given`;
  const some = (where: SQL) => raw`exists (select from ${deposits} where ${where})`;
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select given.chain_id from ${given} where
      ${some(raw`${deposits.fromChainId} = given.chain_id and ${unproven(deposits)}`)}
      or ${some(raw`${deposits.vaultChainId} = given.chain_id and ${unproven(deposits)}`)}
      or ${some(raw`${deposits.vaultChainId} = given.chain_id and ${mayBeContinued}`)}
      or ${some(raw`${deposits.fromChainId} = given.chain_id and ${underWay(deposits)}`)}
      or ${some(raw`${deposits.vaultChainId} = given.chain_id and ${underWay(deposits)}`)}
      or ${some(raw`${deposits.toChainId} = given.chain_id and ${underWay(deposits)}`)}
      or exists (select from ${depositEvidence} where ${depositEvidence.chainId} = given.chain_id
        and not ${depositEvidence.final})
      order by given.chain_id`),
  );
  return ChainIds.parse(rows).map(({ chain_id }) => chain_id);
}

/**
 * State of a chain before a round (a reading of its logs for deposits and withdrawals): its reading progress, or null
 * if it was never read, and the evidence blocks to compare with the chain, lowest first and at most 200.
 */
export interface FollowState {
  chain: FollowedChain | null;
  unchecked: readonly BlockId[];
}

/** SQL condition of a chain's evidence that is not final. */
const openEvidence = (chainId: number) =>
  and(eq(depositEvidence.chainId, chainId), raw`not ${depositEvidence.final}`);

/** Maximum number of evidence blocks that one round compares with the chain. */
export const MAX_UNCHECKED = 200;

/**
 * Loads a chain's reading progress and the evidence blocks that are still to be compared with the chain, at most 200.
 * Throws `store_unavailable`.
 */
export async function loadFollowState(db: Database, chainId: number): Promise<FollowState> {
  const { blockNumber, blockHash } = depositEvidence;
  const open = openEvidence(chainId);
  const [[chain], unchecked] = await db.run((sql) =>
    sql.batch([
      sql.select().from(followedChains).where(eq(followedChains.chainId, chainId)),
      sql
        .selectDistinct({ number: blockNumber, hash: blockHash })
        .from(depositEvidence)
        .where(and(open, raw`not ${depositEvidence.checked}`, raw`${blockHash} <> ''`))
        .orderBy(asc(blockNumber))
        .limit(MAX_UNCHECKED),
    ]),
  );
  return { chain: chain ?? null, unchecked };
}

const Oldest = z.array(z.object({ at: z.coerce.date().nullable() }));

/**
 * Selects the build time of the oldest deposit or withdrawal that is unproven, failed or in progress and has the chain
 * as its source, vault or destination chain, or returns null if there is none. Throws `store_unavailable`.
 */
export async function selectOldestOpen(db: Database, chainId: number): Promise<Date | null> {
  const open = raw`(${unproven(deposits)} or ${underWay(deposits)})`;
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select min(${deposits.createdAt}) as at from ${deposits}
      where ${chainId}::int4 in (${deposits.fromChainId}, ${deposits.vaultChainId}, ${deposits.toChainId}) and ${open}`),
  );
  return Oldest.parse(rows)[0]?.at ?? null;
}

/**
 * A contract that the source transactions of unproven, failed or lost rows call, with the paid token; addresses are
 * lowercase. The Router and a vault's own entry point are listed once, with the token of one of their transactions.
 */
export interface WatchedTarget {
  sourceTo: string;
  fromToken: string;
  /** The provider of the swap or bridge. Null if there is none, and for the swap of a move on one chain. */
  provider: string | null;
}

/** A deposit or withdrawal in progress. Addresses are lowercase. */
export type WatchedDeposit = Pick<
  typeof deposits.$inferSelect,
  "direction" | "userAddress" | "moveToken" | "shareToken" | "fromToken" | "exitToken" | "state"
>;

/** The deposits and withdrawals that a round on a chain looks for. Lost are those whose evidence a reorg replaced. */
export interface WatchList {
  /**
   * The contracts, at most 4,000 entries: the Router and the vaults' own entry points once each, whatever the tokens; a
   * provider's contract with at most 500 tokens.
   */
  targets: readonly WatchedTarget[];
  /**
   * Users of unproven, failed or lost deposits and withdrawals that bypass the Router, lowercase and without duplicates, or
   * null if there are more than 1,000 of these deposits and withdrawals.
   */
  users: readonly string[] | null;
  /**
   * The deposits and withdrawals in progress on the chain, and the lost ones: at most 500 each, the last changed first, by vault chain,
   * source chain and destination chain. One may be listed more than once.
   */
  underWay: readonly WatchedDeposit[];
  /** The contracts whose events may settle the open requests in `underWay`, lowercase. */
  requestContracts: readonly string[];
}

/**
 * Maximum number of tokens of a provider's contract, of contracts with tokens, of rows that users are taken from, and
 * of rows in progress. Anyone may build with any token, so one contract must not crowd out others.
 */
const MAX_TOKENS = 500;
const MAX_TARGETS = 4_000;
const MAX_USER_ROWS = 1_000;
const MAX_UNDER_WAY = 500;

const Targets = z.array(
  z.object({ source_to: z.string(), from_token: z.string(), provider: z.string().nullable() }),
);

/**
 * Selects what a round looks for in a chain's logs: contracts, users, deposits and withdrawals, also those whose evidence
 * a reorg replaced and whose state was not derived again yet. `router` is the Router's lowercase address. Throws
 * `store_unavailable`.
 */
export async function selectWatchList(
  db: Database,
  chain: { chainId: number; router: string },
): Promise<WatchList> {
  const { chainId, router } = chain;
  const own = raw`${deposits.fromChainId} = ${chainId} and ${unproven(deposits)}`;
  const columns = raw`${deposits.sourceTo}, ${deposits.fromToken}, ${deposits.provider}`;
  const seek = (
    after: SQL,
    nth: SQL,
  ) => raw`(select ${columns}, ${nth} as nth from ${deposits} where ${own} ${after}
    order by ${deposits.sourceTo}, ${deposits.fromToken} limit 1)`;
  // What calls the Router or a vault directly is found by their events, so the next contract follows; 'z' is above any
  // token.
  const enough = raw`seen.provider is null or seen.source_to = ${router} or seen.nth >= ${MAX_TOKENS}`;
  const next = raw`and (${deposits.sourceTo}, ${deposits.fromToken}) >
    (seen.source_to, case when ${enough} then 'z' else seen.from_token end)`;
  const nth = raw`case when ${deposits.sourceTo} = seen.source_to then seen.nth + 1 else 1 end`;
  const usersBeside = (side: SQL) => raw`(select ${deposits.userAddress} from ${deposits}
    where ${own} and ${deposits.sourceTo} ${side} ${router} limit ${MAX_USER_ROWS + 1})`;
  const moving = {
    direction: deposits.direction,
    userAddress: deposits.userAddress,
    moveToken: deposits.moveToken,
    shareToken: deposits.shareToken,
    fromToken: deposits.fromToken,
    exitToken: deposits.exitToken,
    sourceTo: deposits.sourceTo,
    vaultAddress: deposits.vaultAddress,
    state: deposits.state,
  };
  const [targets, users, arriving, leaving, ending, lost] = await db.run((sql) => {
    const underWayBy = (side: "vaultChainId" | "fromChainId" | "toChainId") =>
      sql
        .select(moving)
        .from(deposits)
        .where(and(eq(deposits[side], chainId), underWay(deposits)))
        .orderBy(desc(deposits.updatedAt))
        .limit(MAX_UNDER_WAY);
    return sql.batch([
      sql.execute(raw`with recursive seen as (${seek(raw``, raw`1`)} union all
        select further.* from seen cross join lateral ${seek(next, nth)} as further)
        select source_to, from_token, provider from seen limit ${MAX_TARGETS}`),
      sql.execute(raw`${usersBeside(raw`<`)} union all ${usersBeside(raw`>`)}`),
      underWayBy("vaultChainId"),
      underWayBy("fromChainId"),
      underWayBy("toChainId"),
      sql
        .select({ ...moving, fromChainId: deposits.fromChainId, provider: deposits.provider })
        .from(depositEvidence)
        .innerJoin(deposits, eq(deposits.trackingId, depositEvidence.trackingId))
        .where(and(openEvidence(chainId), eq(depositEvidence.blockHash, "")))
        .limit(MAX_UNDER_WAY),
    ]);
  });
  const listed = z.array(z.object({ user_address: z.string() })).parse(users.rows);
  const lostSources = lost.filter(({ fromChainId }) => fromChainId === chainId);
  const paying = [
    ...listed.map(({ user_address }) => user_address),
    ...lostSources.map(({ userAddress }) => userAddress),
  ];
  return {
    targets: [
      ...Targets.parse(targets.rows).map(({ source_to, from_token, provider }) => ({
        sourceTo: source_to,
        fromToken: from_token,
        provider,
      })),
      ...lostSources.map(({ sourceTo, fromToken, provider }) => ({ sourceTo, fromToken, provider })),
    ],
    users: listed.length > MAX_USER_ROWS ? null : [...new Set(paying)],
    underWay: [...arriving, ...leaving, ...ending, ...lost],
    requestContracts: [...new Set(arriving.flatMap(contractsOf))],
  };
}

/** Returns the contracts that may settle a row's open request. What a deposit calls may be an exchange or a bridge. */
function contractsOf(
  row: Pick<typeof deposits.$inferSelect, "direction" | "state" | "sourceTo" | "vaultAddress">,
): string[] {
  if (row.state !== "requested" && row.state !== "cooling" && row.state !== "claimable") return [];
  return row.direction === "deposit" ? [row.vaultAddress] : [row.sourceTo, row.vaultAddress];
}

/**
 * Result of one round on a chain. `startBlock`, the first block that may contain an event, is stored only when the
 * chain's row is created.
 */
export interface FollowStep {
  chainId: number;
  /** Version of the chain's row on which the round is based, or null if there was no row. */
  version: number | null;
  startBlock: number;
  /** Blocks that were final when they were read. */
  covered: readonly BlockRange[];
  final: BlockId;
  head: BlockId & { time: Date };
  /** Number of blocks in one `eth_getLogs` request, as learnt in this round. */
  span: number;
  at: Date;
  /** Evidence blocks that are still on the chain, and those that a reorg replaced. */
  kept: readonly BlockId[];
  replaced: readonly BlockId[];
  /** True if the head of the last round is not on the node's chain, so that all open evidence is compared again. */
  reorganised: boolean;
}

const blocksOf = (blocks: readonly BlockId[]): SQL =>
  raw`jsonb_to_recordset(${JSON.stringify(blocks)}::jsonb) as given(number int8, hash text)`;

/**
 * Stores the result of a round on a chain in one transaction. Rows whose evidence a reorg replaced become due at once.
 * Ended rows may lose their next check when all of their evidence is final, except deposits that may still get shares
 * or a refund. Changes nothing and returns false if another round was first. Throws `store_unavailable`.
 */
export async function applyFollowStep(db: Database, step: FollowStep): Promise<boolean> {
  const { chainId, version, covered, final, head, span, at } = step;
  const read = raw`${formatBlockSet(covered)}::int8multirange`;
  const values = {
    finalBlock: final.number,
    finalHash: final.hash,
    headBlock: head.number,
    headHash: head.hash,
    headTime: head.time,
    span,
    roundAt: at,
    error: null,
  };
  const written = { chainId: followedChains.chainId };
  const [moved] = await db.run((sql) =>
    sql.batch([
      version === null
        ? sql
            .insert(followedChains)
            .values({ chainId, startBlock: step.startBlock, covered, ...values })
            .onConflictDoNothing()
            .returning(written)
        : sql
            .update(followedChains)
            .set({ ...values, version: version + 1, covered: raw`${followedChains.covered} + ${read}` })
            .where(and(eq(followedChains.chainId, chainId), eq(followedChains.version, version)))
            .returning(written),
      ...evidenceStatements(step).map((statement) => sql.execute(statement)),
    ]),
  );
  return moved.length > 0;
}

/** Returns the statements that update the evidence, if their transaction has written the chain's row. */
function evidenceStatements(step: FollowStep): SQL[] {
  const { chainId, kept, replaced, reorganised, final, head, at } = step;
  const own = raw`exists (select from ${followedChains} as c where c.chain_id = ${chainId}
    and c.xmin = pg_current_xact_id()::xid)`;
  const open = raw`e.chain_id = ${chainId} and not e.final and ${own}`;
  const same = raw`e.block_number = given.number and e.block_hash = given.hash`;
  const ended = raw`d.state in ('completed', 'refunded', 'partial', 'failed', 'cancelled', 'rejected')`;
  return [
    // Blocks above the stored head are compared again: a later round cannot see from the head that they were replaced.
    raw`update ${depositEvidence} as e set checked = false
      where ${open} and e.checked and (${reorganised}::bool or e.block_number > ${head.number})`,
    raw`update ${depositEvidence} as e set checked = true from ${blocksOf(kept)}
      where ${open} and ${same} and e.block_number <= ${head.number}`,
    // An empty hash makes tracking derive the state of the deposit again.
    raw`with gone as (update ${depositEvidence} as e set block_hash = '', checked = false
        from ${blocksOf(replaced)} where ${open} and ${same} returning e.tracking_id)
      update ${deposits} as d set next_check_at = ${at}::timestamptz, checks = 0 from gone
      where d.tracking_id = gone.tracking_id`,
    raw`with finals as (update ${depositEvidence} as e set final = true
        where ${open} and e.checked and e.block_number <= ${final.number} and not ${reorganised}::bool
        returning e.tracking_id, e.tx_hash)
      update ${deposits} as d set next_check_at = null from finals
      where d.tracking_id = finals.tracking_id and ${ended} and d.next_check_at > ${at}::timestamptz
      and not (d.direction = 'deposit' and (d.state = 'partial' and d.shares is null
        or d.state = 'failed' and d.request_id is not null))
      and not exists (select from ${depositHints} as h where h.tracking_id = d.tracking_id and h.dropped_at is null)
      and (not d.source_proven or exists (select from ${depositEvidence} as e
        where e.tracking_id = d.tracking_id and e.tx_hash = d.source_tx_hash))
      and not exists (select from ${depositEvidence} as e where e.tracking_id = d.tracking_id and not e.final
        and not (e.checked and e.block_number <= ${final.number} and e.chain_id = ${chainId}))`,
  ];
}

/** Records the error code of a failed round; does nothing if the chain was never read. Throws `store_unavailable`. */
export async function noteFollowError(db: Database, note: { chainId: number; error: string }): Promise<void> {
  await db.run((sql) =>
    sql.update(followedChains).set({ error: note.error }).where(eq(followedChains.chainId, note.chainId)),
  );
}
