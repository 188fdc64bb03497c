import { z } from "@hono/zod-openapi";
import { TimeText, VaultIdText } from "./primitives.ts";

export const historyMetrics = ["share_price", "total_assets", "apy", "net_flow"] as const;
export const HistoryMetric = z.enum(historyMetrics);
export type HistoryMetric = z.infer<typeof HistoryMetric>;

/** Lengths between points, in seconds. */
export const historyIntervals = { "5m": 300, "1h": 3_600, "1d": 86_400 } as const;
export const HistoryInterval = z.enum(["5m", "1h", "1d"]);
export type HistoryInterval = z.infer<typeof HistoryInterval>;

export const VaultHistory = z
  .object({
    vault_id: VaultIdText,
    metric: HistoryMetric,
    interval: HistoryInterval,
    from: TimeText,
    to: TimeText,
    points: z.array(
      z.object({
        time: TimeText,
        block_number: z
          .int()
          .nullable()
          .openapi({ description: "null: the vault was not read in this interval" }),
        value: z
          .string()
          .nullable()
          .openapi({
            description:
              "share_price: whole assets per whole share times 10^18; total_assets and net_flow: smallest unit of the " +
              "asset; apy: yearly fraction realised over the seven days before; null: not known",
          }),
      }),
    ),
  })
  .openapi("VaultHistory");
export type VaultHistory = z.infer<typeof VaultHistory>;
