import * as z from "zod";
import { TimeText, VaultIdText } from "./primitive-schemas.ts";

/** The figures that a vault has a history of. */
export const historyMetrics = ["share_price", "total_assets", "apy", "net_flow"] as const;

/** A figure that a vault has a history of. */
export const HistoryMetric = z.enum(historyMetrics).meta({ description: "Metric of the points." });
export type HistoryMetric = z.infer<typeof HistoryMetric>;

/** Lengths between points, in seconds. */
export const historyIntervals = { "5m": 300, "1h": 3_600, "1d": 86_400 } as const;

/** Length between points. */
export const HistoryInterval = z
  .enum(["5m", "1h", "1d"])
  .meta({ description: "Time between two points: five minutes, one hour or one day." });
export type HistoryInterval = z.infer<typeof HistoryInterval>;

/** One metric of a vault over time. */
export const VaultHistory = z
  .object({
    vault_id: VaultIdText,
    metric: HistoryMetric,
    interval: HistoryInterval,
    from: TimeText.meta({ description: "Start of the history.", example: "2025-12-03T03:04:05.678Z" }),
    to: TimeText.meta({ description: "End of the history." }),
    points: z
      .array(
        z.object({
          time: TimeText.meta({
            description:
              "Time at which the vault was read; for an interval without a reading, the interval's time.",
          }),
          block_number: z.int().nullable().meta({
            description: "Block at which the vault was read; `null` when it was not read in this interval.",
            example: 41250000,
          }),
          value: z
            .string()
            .nullable()
            .meta({
              description:
                "Value of the metric. `share_price`: whole assets per whole share, times 10^18; `total_assets` and " +
                "`net_flow`: smallest unit of the asset; `apy`: yearly rate as a fraction, realised over the seven days " +
                "before. `null` when unknown.",
              example: "1052340000000000000",
            }),
        }),
      )
      .meta({ description: "Points of the history, oldest first." }),
  })
  .meta({ id: "VaultHistory", description: "One metric of a vault over time." });
export type VaultHistory = z.infer<typeof VaultHistory>;
