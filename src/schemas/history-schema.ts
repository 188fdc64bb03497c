import * as z from "zod";
import { TimeText, VaultIdText } from "./primitive-schemas.ts";

/** Metrics of a vault that have a history. */
export const historyMetrics = ["share_price", "total_assets", "apy", "net_flow"] as const;

/** A metric of a vault that has a history. */
export const HistoryMetric = z
  .enum(historyMetrics)
  .meta({ description: "Metric that the values of the points show.", example: "share_price" });
export type HistoryMetric = z.infer<typeof HistoryMetric>;

/** Time between two points of a history, in seconds, by the interval's name in requests. */
export const historyIntervals = { "5m": 300, "1h": 3_600, "1d": 86_400 } as const;

/** Time between two points of a history. */
export const HistoryInterval = z
  .enum(["5m", "1h", "1d"])
  .meta({ description: "Time between two points: five minutes, one hour or one day." });
export type HistoryInterval = z.infer<typeof HistoryInterval>;

/** The history of one metric of a vault, as a series of points. */
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
            description: "Start of the interval.",
          }),
          block_number: z.int().nullable().meta({
            description: "Block at which the vault was read, or `null` if it was not read in this interval.",
            example: 41250000,
          }),
          value: z
            .string()
            .nullable()
            .meta({
              description:
                "Value of the metric. `share_price`: assets per share, both in whole tokens, scaled by 10^18; `total_assets`: " +
                "amount in the asset's smallest unit; `net_flow`: deposits minus withdrawals since the preceding point, in " +
                "the same unit; `apy`: annualized yield of the preceding seven days, as a fraction. `null` if the value is " +
                "unknown.",
              example: "1052340000000000000",
            }),
        }),
      )
      .meta({ description: "Points of the history, oldest first." }),
  })
  .meta({ id: "VaultHistory", description: "The history of one metric of a vault." });
export type VaultHistory = z.infer<typeof VaultHistory>;
