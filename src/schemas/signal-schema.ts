import * as z from "zod";
import { ChainIdNumber, HashText, TimeText, VaultIdText } from "./primitive-schemas.ts";

/** Tiers (severities) of signals, most severe first. */
export const tiers = ["high", "medium", "low"] as const;

/** Tier (severity) of a signal. */
export const Tier = z.enum(tiers).meta({ description: "Severity of the signal." });
export type Tier = z.infer<typeof Tier>;

/** Aspects of a vault that signals are about. */
export const dimensions = ["capital", "performance", "risk", "trust"] as const;

/** Aspect of a vault that a signal is about. */
export const Dimension = z
  .enum(dimensions)
  .meta({ description: "Aspect of the vault that the signal is about." });
export type Dimension = z.infer<typeof Dimension>;

/** One figure of a signal as it is stored, with its unit and change. */
const Metric = z.object({
  label: z.string().meta({ description: "Name of the figure.", example: "net_flow" }),
  value: z.string().meta({
    description:
      "Value of the figure, as a decimal string. Amounts are in the token's smallest unit: divide by 10^`decimals`.",
    example: "183400000000",
  }),
  unit: z.string().meta({
    description:
      "Unit of `value` after the division by 10^`decimals`: the symbol of the vault's asset for amounts, followed by its " +
      "shortened address unless this service knows the token; `fraction`; `seconds`; or `1e18`, which marks a share price " +
      "in whole assets per whole share.",
    example: "USDC",
  }),
  change: z
    .string()
    .nullable()
    .meta({
      description:
        "Change from what the rule compares with, as a fraction; for `apy_1d` and `withdrawable`, the difference of two " +
        "fractions; for `total_assets`, its unexplained part of the earlier total. `null` if it does not apply.",
      example: "-0.1834",
    }),
});
export type Metric = z.infer<typeof Metric>;

/** One figure of a signal as responses show it, with the decimals that convert it to whole units. */
const ShownMetric = Metric.extend({
  decimals: z
    .int()
    .nullable()
    .meta({
      description:
        "Decimals of `value`: 183400000000 with 6 decimals and unit `USDC` is 183,400 USDC. 0 for fractions and seconds, 18 " +
        "for share prices, `null` if unknown.",
      example: 6,
    }),
});
export type ShownMetric = z.infer<typeof ShownMetric>;

/** The figures of a signal. */
const Metrics = z.array(ShownMetric).meta({ description: "Figures that the signal is based on." });

/** Summary of a signal, in a few sentences. */
const Summary = z.string().meta({
  description:
    "What happened, compared with what is usual for the vault, and what to check, in a few sentences.",
  example:
    "Withdrawals from Steakhouse USDC exceeded deposits by 183,400 USDC in the 24 hours before 2026-01-02 03:04 UTC (2,000 USDC " +
    "deposited, 185,400 USDC withdrawn), 18.34% of its total assets at the start of that time (1,000,000 USDC). Over 28 " +
    "earlier days the median of the daily net outflow was 0.40% of total assets; up to 4.40% is normal for this vault. Unless the withdrawals were claims of " +
    "earlier requests, liquidity for immediate withdrawals may run out: check how much you could withdraw now.",
});

/** A signal as lists show it: one incident at a vault, raised by a rule. */
export const Signal = z
  .object({
    signal_id: z.string().meta({
      description: "Id of the signal.",
      example: "sig_0123456789abcdef0123456789abcdef",
    }),
    rule_id: z.string().meta({
      description: "Id of the rule that raised the signal (`GET /v1/intel/rules`).",
      example: "net_outflow",
    }),
    incident_id: z.string().meta({
      description:
        "Id of the incident. All findings of one rule about one vault and subject have the same id while the incident lasts.",
      example: "inc_0123456789abcdef0123456789abcdef",
    }),
    tier: Tier,
    dimension: Dimension,
    title: z.string().meta({
      description: "One-line headline.",
      example: "Steakhouse USDC: net outflow of 183,400 USDC in 24 hours",
    }),
    summary: Summary,
    vault_id: VaultIdText,
    vault_name: z.string().meta({ description: "Display name of the vault.", example: "Steakhouse USDC" }),
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    chain_name: z.string().meta({ description: "Display name of the vault's chain.", example: "Base" }),
    asset_symbol: z
      .string()
      .meta({ description: "Symbol of the vault's underlying asset.", example: "USDC" }),
    metrics: Metrics,
    first_seen: TimeText.meta({ description: "Time at which the incident was first observed." }),
    last_seen: TimeText.meta({ description: "Time at which the incident was last observed." }),
    update_count: z.int().meta({
      description:
        "Number of later observations that showed something new, such as another severity or a further event.",
      example: 3,
    }),
    tx_hash: HashText.nullable().meta({
      description: "Hash of the transaction that caused the incident, or `null` if none is known.",
    }),
    block_number: z.int().nullable().meta({
      description:
        "Block of that transaction or else of an observation, or `null` for an incident that no chain shows.",
      example: 41250000,
    }),
  })
  .meta({ id: "Signal", description: "An incident at a vault, raised by a rule." });
export type Signal = z.infer<typeof Signal>;

/** One page of signals, ordered by `last_seen` with the newest first, with the total number of signals. */
export const SignalPage = z
  .object({
    signals: z.array(Signal).meta({
      description:
        "Signals on this page, one for each incident, ordered by `last_seen` with the newest first.",
    }),
    count: z.int().meta({ description: "Number of signals on this page.", example: 20 }),
    total: z.int().meta({ description: "Number of signals on all pages.", example: 57 }),
    since: z.string().meta({ description: "Value of `since` in the request.", example: "24h" }),
    dimension: Dimension.nullable().meta({
      description: "Value of `dimension` in the request, or `null` if all aspects were requested.",
    }),
    limit: z.int().meta({ description: "Maximum number of signals on a page.", example: 20 }),
    offset: z.int().meta({ description: "Number of signals skipped before this page.", example: 0 }),
  })
  .meta({ id: "SignalPage", description: "One page of signals, newest first." });
export type SignalPage = z.infer<typeof SignalPage>;

/** An incident as it was observed at one time. */
const Stage = z.object({
  at: TimeText.meta({ description: "Time of the observation." }),
  tier: Tier.meta({ description: "Severity at that time." }),
  summary: Summary,
  metrics: Metrics.meta({ description: "Figures at that time." }),
});
/** A stage as it is stored, without the decimals of its figures. */
export type Stage = Omit<z.infer<typeof Stage>, "metrics"> & { metrics: Metric[] };

/** A signal with its evidence and the course of its incident. */
export const SignalDetail = Signal.extend({
  evidence: z.record(z.string(), z.string()).meta({
    description: "Facts on which the rule based the signal, by name.",
    example: { inflow: "2000000000", outflow: "185400000000" },
  }),
  evolution: z.array(Stage).meta({
    description:
      "Observations that showed something new about the incident, oldest first; at most the last 50.",
  }),
}).meta({ id: "SignalDetail", description: "A signal with its evidence and the course of its incident." });
export type SignalDetail = z.infer<typeof SignalDetail>;

/** A rule that raises signals, with its thresholds and the history that it needs. */
export const Rule = z
  .object({
    rule_id: z.string().meta({ description: "Id of the rule.", example: "net_outflow" }),
    dimension: Dimension.meta({ description: "Aspect of the vault that the rule watches." }),
    title: z
      .string()
      .meta({ description: "One-line headline of the rule's signals.", example: "Net outflow" }),
    description: z.string().meta({
      description: "What the rule measures and when it raises a signal.",
      example:
        "Net outflow since a snapshot that is 24 to 30 hours old, as a fraction of total assets in that snapshot, compared " +
        "with earlier days.",
    }),
    tiers: z
      .array(
        z.object({
          tier: Tier.meta({ description: "Severity of signals at this threshold." }),
          threshold: z.string().meta({
            description: "Threshold of the tier.",
            example:
              "At least 30% of total assets and more than 10 median absolute deviations above the median of the vault's earlier " +
              "days (a deviation below 1% of total assets counts as 1%), or at least 60% in any case.",
          }),
          reason: z.string().meta({
            description: "Reason for the threshold.",
            example:
              "May be a run on the vault: the remaining holders may have to wait until positions are unwound",
          }),
        }),
      )
      .meta({ description: "Thresholds of the rule by severity. The highest tier that is reached applies." }),
    needs: z.string().meta({
      description: "History that the rule needs. Without it, the rule raises no signals.",
      example:
        "Deposits and withdrawals since a snapshot that is 24 to 30 hours old, and for at least 7 of the 30 days before.",
    }),
  })
  .meta({ id: "Rule", description: "A rule that raises signals." });
export type Rule = z.infer<typeof Rule>;
