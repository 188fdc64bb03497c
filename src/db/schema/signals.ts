import { bigint, index, integer, jsonb, pgTable, text, unique } from "drizzle-orm/pg-core";
import type { Dimension, Metric, Stage, Tier } from "../../schemas/signal.ts";
import { time } from "../columns.ts";

/** What rules found, one row for each incident. Addresses are lower case. */
export const signals = pgTable(
  "signals",
  {
    signalId: text("signal_id").primaryKey(),
    incidentId: text("incident_id").notNull(),
    ruleId: text("rule_id").notNull(),
    chainId: integer("chain_id").notNull(),
    vaultAddress: text("vault_address").notNull(),
    /** Sets incidents of one rule and vault apart that are about different things. */
    subject: text("subject").notNull(),
    /** How many incidents of the same rule, vault and subject there were before. */
    sequence: integer("sequence").notNull(),
    tier: text("tier").$type<Tier>().notNull(),
    dimension: text("dimension").$type<Dimension>().notNull(),
    title: text("title").notNull(),
    summary: text("summary").notNull(),
    metrics: jsonb("metrics").$type<Metric[]>().notNull(),
    evidence: jsonb("evidence").$type<Record<string, string>>().notNull(),
    evolution: jsonb("evolution").$type<Stage[]>().notNull(),
    /** What it was raised or changed for, so that nothing counts twice. */
    keys: jsonb("keys").$type<string[]>().notNull(),
    firstSeen: time("first_seen").notNull(),
    lastSeen: time("last_seen").notNull(),
    updateCount: integer("update_count").notNull(),
    txHash: text("tx_hash"),
    blockNumber: bigint("block_number", { mode: "number" }),
  },
  (table) => [
    // Two runs that find the same make one incident of it.
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
