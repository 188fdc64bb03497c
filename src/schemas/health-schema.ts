import * as z from "zod";
import { ChainIdNumber, TimeText } from "./primitive-schemas.ts";

/** Schema of the state of one dependency: the database, Redis or a chain. */
export const DependencyHealth = z.object({
  name: z.string().meta({
    description: "Name of the dependency: `database`, `redis` or `chain:<chain_id>`.",
    example: "chain:8453",
  }),
  ok: z.boolean().meta({ description: "Whether the dependency responded.", example: true }),
  latency_ms: z.int().meta({ description: "Response time in milliseconds.", example: 12 }),
  code: z.string().nullable().meta({
    description: "Error code of the failure, or `null` if there was none.",
    example: null,
  }),
});

const Code = z.string().nullable().meta({
  description:
    "Error code that was recorded for a failed run since the last successful one, or `null` if there is none.",
  example: null,
});
const Blocks = z.int().nullable();

/** Schema of the indexing and tracking progress of one chain. */
const ChainHealth = z.object({
  chain_id: ChainIdNumber,
  head: Blocks.meta({ description: "Newest block, or `null` if no node responded.", example: 41250000 }),
  nodes: z.int().meta({ description: "Number of RPC nodes that are configured.", example: 3 }),
  index: z
    .object({
      block: Blocks.meta({ description: "Newest indexed block, or `null` if none.", example: 41249990 }),
      lag_blocks: Blocks.meta({ description: "Blocks from `block` to `head`, or `null`.", example: 10 }),
      code: Code,
    })
    .meta({ description: "Index of the vaults' deposits and withdrawals." }),
  deposits: z
    .object({
      block: z.int().meta({ description: "Newest block that was read.", example: 41249998 }),
      lag_s: z.int().meta({ description: "Age of that block in seconds.", example: 14 }),
      missing_blocks: z.int().meta({ description: "Final blocks that are still to be read.", example: 0 }),
      round_at: TimeText.nullable().meta({
        description: "Time of the last round that succeeded, or `null` if there was none.",
      }),
      code: Code,
    })
    .nullable()
    .meta({
      description:
        "Reading of the events of tracked deposits and withdrawals, or `null` if the chain was never read or the database does not answer.",
    }),
});

/** Schema of the last run of one background job. */
const JobHealth = z.object({
  name: z.string().meta({ description: "Name of the job.", example: "index_flows" }),
  started_at: TimeText.nullable().meta({ description: "Start of the last run, or `null` if none is known." }),
  ended_at: TimeText.nullable().meta({
    description: "End of the last run, or `null` if it is still running or was killed.",
  }),
  ok: z
    .boolean()
    .nullable()
    .meta({ description: "Whether the last run succeeded, or `null` if it has not ended.", example: true }),
  code: z.string().nullable().meta({
    description:
      "Error code of the last run, or `null` if it did not fail. `internal` is a fault of this service.",
    example: null,
  }),
});

/** Schema of the circuit breaker of one dependency. */
const BreakerState = z.object({
  name: z.string().meta({
    description:
      "Dependency: `database`, `redis`, `sign_in_store`, `chain:<chain_id>:node:<place>`, a provider, or `prices`.",
    example: "chain:8453:node:1",
  }),
  state: z.enum(["closed", "doubtful", "open", "half_open"]).meta({
    description:
      "`closed`: requests are sent. `doubtful`: a request timed out, so a trivial one is sent first. `open`: nothing is sent until `until`. `half_open`: the next request is a trial.",
    example: "closed",
  }),
  hangs: z.int().meta({
    description: "Consecutive timeouts without any response in between; of `prices`, consecutive failures.",
    example: 0,
  }),
  until: TimeText.nullable().meta({
    description: "Earliest time of the next trial, or `null` unless `open`.",
    example: null,
  }),
});

/** The part of `HealthDetails` that is cached, for up to 20 seconds. */
export const SharedDetails = z.object({
  dependencies: z
    .array(DependencyHealth)
    .meta({ description: "State of the database, Redis and each chain." }),
  chains: z
    .array(ChainHealth)
    .meta({ description: "Nodes, and indexing and tracking progress, of each chain." }),
  providers: z
    .array(z.object({ name: z.string().meta({ description: "Name of the provider.", example: "across" }) }))
    .nullable()
    .meta({ description: "Providers of bridges and swaps that are in use, or `null` if unknown." }),
  deposits: z
    .object({
      under_way: z
        .int()
        .meta({ description: "Deposits and withdrawals that were sent and have not ended.", example: 12 }),
      due: z.int().meta({ description: "Deposits and withdrawals whose next check is due.", example: 2 }),
      oldest_due_s: z.int().nullable().meta({
        description:
          "Number of seconds for which the longest-waiting check has been due, or `null` if none is due.",
        example: 4,
      }),
    })
    .nullable()
    .meta({ description: "Deposits and withdrawals in progress or due for tracking, or `null` if unknown." }),
  jobs: z.array(JobHealth).meta({ description: "Last run of each background job." }),
  at: TimeText.meta({ description: "Time of this report, which is at most some seconds old." }),
});
export type SharedDetails = z.infer<typeof SharedDetails>;

/** Schema of the progress of indexing one chain's deposits and withdrawals. */
export const IndexLag = z.object({
  chain_id: z.int().meta({ description: "EIP-155 chain id.", example: 8453 }),
  head: z.int().nullable().meta({
    description: "Newest block of the chain, or `null` if no node responded.",
    example: 41250000,
  }),
  indexed: z.int().nullable().meta({
    description: "Newest block whose deposits and withdrawals are indexed, or `null` if it is unknown.",
    example: 41249990,
  }),
  lag: z.int().nullable().meta({
    description: "Number of blocks from `indexed` to `head`, or `null` if either of them is unknown.",
    example: 10,
  }),
  error: z.string().nullable().meta({
    description:
      "Error code that was recorded for a failed indexing run since the last successful one, or `null` if there is none.",
    example: "upstream_timeout",
  }),
});

/**
 * Health of the service's dependencies, chains, providers and jobs, its backlog of tracking, and the circuit breakers
 * of one isolate. Errors are codes, without texts.
 */
export const HealthDetails = SharedDetails.extend({
  breakers: z.array(BreakerState).meta({
    description: "Circuit breakers of the isolate that responds. Other isolates have their own.",
  }),
}).meta({ id: "HealthDetails", description: "State of the service, its chains and its background jobs." });
export type HealthDetails = z.infer<typeof HealthDetails>;
