import type { Address } from "viem";
import { MAX_CODE_ADDRESSES, readCodeAt } from "../chains/code-at-block.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { isRateLimit } from "../chains/log-range.ts";
import { readBlock } from "../chains/read-block.ts";
import {
  affordsAnotherNode,
  onOneNodeWithinBudget,
  type RequestBudget,
} from "../chains/rpc-request-budget.ts";
import type { StartSearch } from "../db/queries/flow-queries.ts";
import { describeError } from "../lib/logger.ts";
import { depositRouterCreate2 } from "../router/deposit-router-artifact.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import type { IndexState, VaultWithoutStart } from "./flow-index-state.ts";
import type { Indexer } from "./flow-store.ts";

/** Maximum error of a start block, in blocks: reading the surplus blocks costs one request and finds no logs. */
const CLOSE_ENOUGH_BLOCKS = 1_024;
/** Number of newest blocks that are not probed for start blocks, because a reorg may change them. */
const UNSETTLED_BLOCKS = 1_024;
/** Maximum number of blocks that one run probes for vaults' start blocks. */
const PROBES = 12;
/**
 * Maximum number of inconclusive probes. After that number, the search assumes that no node keeps the historical state.
 */
const MAX_DOUBTS = 30;
/**
 * The CREATE2 factory, which is taken to be older than any vault. A node that returns no code for it at a block counts
 * as lacking the state of that block.
 */
const REFERENCE_CONTRACT: Address = depositRouterCreate2.factory;

/** A search for a vault's start block in progress, with the vault's contracts. */
interface StartBlockSearch {
  of: StartSearch;
  addresses: readonly Address[];
}

/**
 * The contracts that have code at a block. `none`: no node keeps the state of the block; `unclear`: some nodes returned
 * no result.
 */
type CodeAtBlock = ReadonlySet<string> | "none" | "unclear";

/**
 * Searches by bisection for the start blocks of vaults whose registry entries have none, as far as the budget allows,
 * and stores the progress. A result may be below the first block with code, and far below it if no node keeps the state
 * of those blocks. Node errors are logged, not thrown. Throws `store_unavailable`.
 */
export async function findStartBlocks(
  indexer: Indexer,
  run: { state: Pick<IndexState, "tip" | "withoutStart">; budget: RequestBudget },
): Promise<void> {
  const { state, budget } = run;
  if (state.withoutStart.length === 0 || !affordsAnotherNode(budget)) return;
  const head = state.tip.headBlock ?? (await readLatestNumber(indexer, budget));
  if (head === null) return;
  const searches = toSearches(state.withoutStart, Math.max(0, head - UNSETTLED_BLOCKS));
  for (let probe = 0; probe < PROBES && affordsAnotherNode(budget); probe += 1) {
    const block = nextProbe(searches);
    if (block === null) break;
    const codeAtBlock = await readCodeOfAll(indexer, { block, searches, budget });
    for (const search of searches) narrowSearch(search, { block, codeAtBlock });
    if (codeAtBlock === "unclear") break;
  }
  await indexer.store.noteStarts(searches.map(({ of }) => of));
}

function toSearches(withoutStart: readonly VaultWithoutStart[], settled: number): StartBlockSearch[] {
  const searches: StartBlockSearch[] = [];
  let count = 1;
  for (const { vault, source, search } of withoutStart) {
    const { addresses } = adapterOf(vault).flows(vault);
    count += addresses.length;
    if (count > MAX_CODE_ADDRESSES) break;
    const fresh = { absentAt: -1, presentAt: settled, doubts: 0, startBlock: null };
    const known = search?.source === source ? search : fresh;
    searches.push({ addresses, of: { ...known, source, vaultAddress: vault.address.toLowerCase() } });
  }
  return searches;
}

/** Returns the middle block of the widest unfinished search, or null if all searches are finished. */
function nextProbe(searches: readonly StartBlockSearch[]): number | null {
  const open = ({ of }: StartBlockSearch): number =>
    of.startBlock === null ? of.presentAt - of.absentAt : 0;
  const [widest] = [...searches].sort((a, b) => open(b) - open(a));
  if (widest === undefined || open(widest) === 0) return null;
  return Math.max(0, Math.floor((widest.of.absentAt + widest.of.presentAt) / 2));
}

async function readLatestNumber(indexer: Indexer, budget: RequestBudget): Promise<number | null> {
  try {
    return (await onOneNodeWithinBudget(indexer.client, budget, (node) => readBlock(node, "latest"))).number;
  } catch (error) {
    indexer.log.warn("flows_start_unread", { chain_id: indexer.chainId, error: describeError(error) });
    return null;
  }
}

async function readCodeOfAll(
  indexer: Indexer,
  query: { block: number; searches: readonly StartBlockSearch[]; budget: RequestBudget },
): Promise<CodeAtBlock> {
  const { block, searches, budget } = query;
  const addresses = [...new Set([REFERENCE_CONTRACT, ...searches.flatMap((search) => search.addresses)])];
  const refusals: unknown[] = [];
  try {
    return await onOneNodeWithinBudget(indexer.client, budget, async (node) => {
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
    const none = refusals.every((one) => one instanceof RpcError && !isRateLimit(one.message));
    return none && refusals.length > 0 ? "none" : "unclear";
  }
}

/** Narrows the search for a start block according to whether one of the contracts has code at the probed block. */
function narrowSearch(
  { of, addresses }: StartBlockSearch,
  { block, codeAtBlock }: { block: number; codeAtBlock: CodeAtBlock },
): void {
  if (of.startBlock !== null || block <= of.absentAt || block > of.presentAt) return;
  if (codeAtBlock === "unclear") of.doubts += 1;
  else if (codeAtBlock !== "none" && !addresses.some((address) => codeAtBlock.has(address)))
    of.absentAt = block;
  else if (codeAtBlock !== "none") of.presentAt = block;
  const isUnclear = codeAtBlock === "none" || of.doubts > MAX_DOUBTS;
  if (isUnclear || of.presentAt - of.absentAt <= CLOSE_ENOUGH_BLOCKS)
    of.startBlock = Math.max(0, Math.min(of.absentAt + 1, of.presentAt));
}
