import type { Address } from "viem";
import { RpcError } from "../chains/json-rpc.ts";
import { readHead } from "../chains/logs.ts";
import type { StartSearch } from "../db/queries/flows.ts";
import { describeError } from "../lib/log.ts";
import { depositRouterCreate2 } from "../router/artifact.ts";
import { adapterOf } from "../vaults/adapters.ts";
import { affordsNode, type Budget, onOneNodeWithin } from "./budget.ts";
import { MOST_ADDRESSES, readCodeAt } from "./code-at.ts";
import type { Indexer } from "./indexer.ts";
import { asksTooOften } from "./span.ts";
import type { RunState, UnstartedVault } from "./state.ts";

/** A first block is known well enough within so many blocks: they are one question more, with nothing in it. */
const CLOSE = 1_024;
/** Blocks below the head that are not asked about: what is there may move. */
const UNSETTLED = 1_024;
/** Blocks that one run asks about. */
const PROBES = 12;
/** Runs after which what some nodes do not keep, and others do not answer, is taken for not kept at all. */
const MOST_DOUBTS = 30;
/**
 * A contract that is older than any vault, for the Router came through it: a node that does not know it at some block
 * does not have that block's state, whatever it answers.
 */
const WITNESS: Address = depositRouterCreate2.factory;

/** A search under way, and the contracts that are looked for. */
interface Search {
  of: StartSearch;
  addresses: readonly Address[];
}

/** What nodes told of a block: who had code there; `none`: no node keeps its state; `unclear`: they did not all say. */
type Told = ReadonlySet<string> | "none" | "unclear";

/**
 * Looks for the first blocks of vaults whose rows name none: where none of a vault's contracts had code, nothing was
 * logged. Each question, one request, asks for all vaults at one block and halves what is open of at least one. Where
 * no node keeps so old a state, all blocks above the last one known to be without the vault belong to its history:
 * more to read, and nothing missed. Does a bounded part, and stores it. Throws `store_unavailable`.
 */
export async function findStarts(
  indexer: Indexer,
  run: { state: Pick<RunState, "tip" | "unstarted">; budget: Budget },
): Promise<void> {
  const { state, budget } = run;
  if (state.unstarted.length === 0 || !affordsNode(budget)) return;
  const head = state.tip.headBlock ?? (await readLatest(indexer, budget));
  if (head === null) return;
  const searches = beginSearches(state.unstarted, Math.max(0, head - UNSETTLED));
  for (let probe = 0; probe < PROBES && affordsNode(budget); probe += 1) {
    const block = nextBlock(searches);
    if (block === null) break;
    const told = await tellCode(indexer, { block, searches, budget });
    for (const search of searches) learn(search, { block, told });
    if (told === "unclear") break;
  }
  await indexer.store.noteStarts(searches.map(({ of }) => of));
}

function beginSearches(unstarted: readonly UnstartedVault[], settled: number): Search[] {
  const searches: Search[] = [];
  let count = 1;
  for (const { vault, source, search } of unstarted) {
    const { addresses } = adapterOf(vault).flows(vault);
    count += addresses.length;
    if (count > MOST_ADDRESSES) break;
    const fresh = { absentAt: -1, presentAt: settled, doubts: 0, startBlock: null };
    const known = search?.source === source ? search : fresh;
    searches.push({ addresses, of: { ...known, source, vaultAddress: vault.address.toLowerCase() } });
  }
  return searches;
}

/** The middle of what is open of the search that is furthest from its end; null: all are at theirs. */
function nextBlock(searches: readonly Search[]): number | null {
  const open = ({ of }: Search): number => (of.startBlock === null ? of.presentAt - of.absentAt : 0);
  const [widest] = [...searches].sort((a, b) => open(b) - open(a));
  if (widest === undefined || open(widest) === 0) return null;
  return Math.max(0, Math.floor((widest.of.absentAt + widest.of.presentAt) / 2));
}

async function readLatest(indexer: Indexer, budget: Budget): Promise<number | null> {
  try {
    return (await onOneNodeWithin(indexer.client, budget, (node) => readHead(node, "latest"))).number;
  } catch (error) {
    indexer.log.warn("flows_start_unread", { chain_id: indexer.chainId, error: describeError(error) });
    return null;
  }
}

async function tellCode(
  indexer: Indexer,
  query: { block: number; searches: readonly Search[]; budget: Budget },
): Promise<Told> {
  const { block, searches, budget } = query;
  const addresses = [...new Set([WITNESS, ...searches.flatMap((search) => search.addresses)])];
  const refusals: unknown[] = [];
  try {
    return await onOneNodeWithin(indexer.client, budget, async (node) => {
      const codes = await readCodeAt(node, { block, addresses }).catch((error: unknown) => {
        refusals.push(error);
        throw error;
      });
      if (codes[0] === true) return new Set(addresses.filter((_, index) => codes[index] === true));
      const error = new RpcError("node", `the state of block ${block} lacks what is known to be there`);
      refusals.push(error);
      throw error;
    });
  } catch (error) {
    indexer.log.warn("flows_start_unread", { chain_id: indexer.chainId, block, error: describeError(error) });
    const none = refusals.every((one) => one instanceof RpcError && !asksTooOften(one.message));
    return none && refusals.length > 0 ? "none" : "unclear";
  }
}

/** Takes into a search what was told of a block. */
function learn({ of, addresses }: Search, { block, told }: { block: number; told: Told }): void {
  if (of.startBlock !== null || block <= of.absentAt || block > of.presentAt) return;
  if (told === "unclear") of.doubts += 1;
  else if (told !== "none" && !addresses.some((address) => told.has(address))) of.absentAt = block;
  else if (told !== "none") of.presentAt = block;
  const untold = told === "none" || of.doubts > MOST_DOUBTS;
  if (untold || of.presentAt - of.absentAt <= CLOSE)
    of.startBlock = Math.max(0, Math.min(of.absentAt + 1, of.presentAt));
}
