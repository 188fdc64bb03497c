import { RpcError } from "./json-rpc.ts";
import { isBlockLimit, type LogQuerySize, reduceLimit, statedBlocks } from "./log-range.ts";

/**
 * Sizes of `eth_getLogs` requests that a node accepts, as far as searches have learnt them, and the test of a supposed
 * limit of blocks, if one has begun.
 */
export interface LogLimits extends Partial<LogQuerySize> {
  trial?: WidthTrial;
}

/**
 * Test of a supposed limit of blocks: a rejection may be about the number of blocks of a request, or a passing failure
 * of the node.
 */
interface WidthTrial {
  /** Number of blocks of the request that was rejected. */
  readonly refused: number;
  /** Highest number of blocks of a request that has succeeded since at the width of the trial, or 0. */
  granted: number;
}

/** Least number of blocks that one search leaves as a limit to later ones; some public nodes accept no more. */
const LEAST_BLOCKS = 10;
/** Divisor of the number of blocks after a failure that may pass. */
const STEP_DOWN = 4;

/**
 * The number of blocks in the next request of one search, and what later searches learn from it about the node. After a
 * failure that may pass, the search continues with fewer blocks and widens again on success.
 */
export class SearchWidth {
  readonly #limits: LogLimits;
  #most: number;
  #trial: WidthTrial | null;

  /** Continues with what is known of a node; `maxBlocks` is the highest number of blocks that the search wants. */
  constructor(limits: LogLimits, maxBlocks: number) {
    this.#limits = limits;
    this.#most = Math.min(maxBlocks, limits.blocks ?? maxBlocks);
    this.#trial = limits.trial ?? null;
  }

  /** Number of blocks of the next request. */
  get blocks(): number {
    return this.#trial === null ? this.#most : Math.min(this.#most, nextOf(this.#trial));
  }

  /** Records that a request of this many blocks succeeded. */
  answered(blocks: number): void {
    const trial = this.#trial;
    // The rest of a range or a narrow search may be short: it must not narrow wide ones.
    if (trial === null || blocks < nextOf(trial)) return;
    trial.granted = Math.max(trial.granted, blocks);
    if (blocks < trial.refused) return;
    if (this.#limits.trial === trial) delete this.#limits.trial;
    this.#trial = null;
  }

  /** Records that requesting this many blocks failed with this error, which may be about the number of blocks. */
  refused(blocks: number, error: unknown): void {
    const message = error instanceof RpcError ? error.message : "";
    const granted = this.#trial?.granted ?? 0;
    const known = statedBlocks(blocks, message) ?? (granted > 0 && granted < blocks ? granted : null);
    if (known === null && !isBlockLimit(message)) {
      // The rest of a range may be short, and its failure says little about wide requests.
      const tells = blocks >= Math.max(this.blocks, STEP_DOWN * LEAST_BLOCKS);
      this.#trial = { refused: blocks, granted: 0 };
      if (tells) this.#limits.trial = this.#trial;
      return;
    }
    this.#most = known ?? reduceLimit(blocks, "");
    this.#trial = null;
    if (known === null && this.#most < LEAST_BLOCKS) return;
    this.#limits.blocks = Math.max(LEAST_BLOCKS, this.#most);
    delete this.#limits.trial;
  }
}

/** Returns the number of blocks with which a trial goes on. */
function nextOf({ refused, granted }: WidthTrial): number {
  return granted === 0 ? Math.max(1, Math.floor(refused / STEP_DOWN)) : Math.min(refused, 2 * granted);
}
