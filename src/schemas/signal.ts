import { z } from "@hono/zod-openapi";
import { ChainIdNumber, HexText, TimeText, VaultIdText } from "./primitives.ts";

export const tiers = ["high", "medium", "low"] as const;
export const Tier = z.enum(tiers);
export type Tier = z.infer<typeof Tier>;
export const dimensions = ["capital", "performance", "risk", "trust"] as const;
export const Dimension = z.enum(dimensions);
export type Dimension = z.infer<typeof Dimension>;

const Metric = z.object({
  label: z.string(),
  value: z.string(),
  unit: z.string(),
  change: z.string().nullable().openapi({ description: "Against what was before, as a fraction" }),
});
export type Metric = z.infer<typeof Metric>;

export const Signal = z
  .object({
    signal_id: z.string(),
    rule_id: z.string(),
    incident_id: z.string(),
    tier: Tier,
    dimension: Dimension,
    title: z.string(),
    summary: z.string(),
    vault_id: VaultIdText,
    vault_name: z.string(),
    chain_id: ChainIdNumber,
    chain_name: z.string(),
    asset_symbol: z.string(),
    metrics: z.array(Metric),
    first_seen: TimeText,
    last_seen: TimeText,
    update_count: z.int(),
    tx_hash: HexText.nullable(),
    block_number: z.int().nullable(),
  })
  .openapi("Signal");
export type Signal = z.infer<typeof Signal>;

export const SignalPage = z
  .object({
    signals: z.array(Signal),
    count: z.int(),
    total: z.int(),
    since: z.string(),
    dimension: Dimension.nullable(),
    limit: z.int(),
    offset: z.int(),
  })
  .openapi("SignalPage");
export type SignalPage = z.infer<typeof SignalPage>;

/** What an incident was at one time. */
const Stage = z.object({ at: TimeText, tier: Tier, summary: z.string(), metrics: z.array(Metric) });
export type Stage = z.infer<typeof Stage>;

export const SignalDetail = Signal.extend({
  evidence: z
    .record(z.string(), z.string())
    .openapi({ description: "The stored facts that the rule decided on" }),
  evolution: z.array(Stage).openapi({ description: "Oldest first" }),
}).openapi("SignalDetail");
export type SignalDetail = z.infer<typeof SignalDetail>;

export const Rule = z
  .object({
    rule_id: z.string(),
    dimension: Dimension,
    title: z.string(),
    description: z.string(),
    tiers: z.array(z.object({ tier: Tier, threshold: z.string(), reason: z.string() })),
    needs: z.string().openapi({ description: "The history without which the rule says nothing" }),
  })
  .openapi("Rule");
export type Rule = z.infer<typeof Rule>;
