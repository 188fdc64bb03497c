import { bigint, index, integer, jsonb, pgTable, text, unique } from "drizzle-orm/pg-core";
import type { Dimension, Metric, Stage, Tier } from "../../schemas/signal-schema.ts";
import { time } from "./table-columns.ts";

/**
 * Signals: one row per incident, into which the findings of one rule about one vault and subject are merged. Vault
 * addresses are lowercase.
 */
export const signals = pgTable(
  "signals",
  {
    signalId: text("signal_id").primaryKey(),
    incidentId: text("incident_id").notNull(),
    ruleId: text("rule_id").notNull(),
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** Distinguishes incidents of the same rule and vault, such as changes of two different controls. */
    subject: text("subject").notNull(),
    /** Number of earlier incidents with the same rule, vault and subject. */
    sequence: integer("sequence").notNull(),
    tier: text("tier").$type<Tier>().notNull(),
    dimension: text("dimension").$type<Dimension>().notNull(),
    title: text("title").notNull(),
    summary: text("summary").notNull(),
    metrics: jsonb("metrics").$type<Metric[]>().notNull(),
    evidence: jsonb("evidence").$type<Record<string, string>>().notNull(),
    evolution: jsonb("evolution").$type<Stage[]>().notNull(),
    /**
     * Keys of the findings that raised or updated the incident, by which repeated findings are recognized; at most the
     * newest 50.
     */
    keys: jsonb("keys").$type<string[]>().notNull(),
    firstSeen: time("first_seen").notNull(),
    lastSeen: time("last_seen").notNull(),
    updateCount: integer("update_count").notNull(),
    txHash: text("tx_hash"),
    blockNumber: bigint("block_number", { mode: "number" }),
  },
  (table) => [
    // Two concurrent runs with the same finding create only one incident.
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
