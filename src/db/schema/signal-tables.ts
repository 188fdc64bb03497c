import { bigint, index, integer, jsonb, pgTable, text, unique } from "drizzle-orm/pg-core";
import type { Dimension, Metric, Stage, Tier } from "../../schemas/signal-schema.ts";
import { time } from "../table-columns.ts";

/** Incidents: findings of the signal rules, coalesced to one row per incident. Addresses are lower case. */
export const signals = pgTable(
  "signals",
  {
    signalId: text("signal_id").primaryKey(),
    incidentId: text("incident_id").notNull(),
    ruleId: text("rule_id").notNull(),
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** Distinguishes incidents of one rule and vault, such as two controls that changed. */
    subject: text("subject").notNull(),
    /** Number of earlier incidents of the same rule, vault and subject. */
    sequence: integer("sequence").notNull(),
    tier: text("tier").$type<Tier>().notNull(),
    dimension: text("dimension").$type<Dimension>().notNull(),
    title: text("title").notNull(),
    summary: text("summary").notNull(),
    metrics: jsonb("metrics").$type<Metric[]>().notNull(),
    evidence: jsonb("evidence").$type<Record<string, string>>().notNull(),
    evolution: jsonb("evolution").$type<Stage[]>().notNull(),
    /** Keys of the findings that raised or updated it, so that none counts twice. */
    keys: jsonb("keys").$type<string[]>().notNull(),
    firstSeen: time("first_seen").notNull(),
    lastSeen: time("last_seen").notNull(),
    updateCount: integer("update_count").notNull(),
    txHash: text("tx_hash"),
    blockNumber: bigint("block_number", { mode: "number" }),
  },
  (table) => [
    // Two runs with the same finding create one incident.
    unique("signals_incident").on(
      table.ruleId,
      table.chainId,
      table.vaultAddress,
      table.subject,
      table.sequence,
    ),
    index("signals_recent").on(table.lastSeen),
  ],
);
