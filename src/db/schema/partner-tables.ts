import { index, integer, jsonb, pgTable, smallint, text } from "drizzle-orm/pg-core";
import type { ApplicationForm, ApplicationStatus } from "../../schemas/application-schema.ts";
import { time } from "../table-columns.ts";

/** Applications of wallets to become partners, one per address (lower case). */
export const applications = pgTable(
  "applications",
  {
    id: text("id").primaryKey(),
    address: text("address").notNull().unique(),
    status: text("status").$type<ApplicationStatus>().notNull(),
    form: jsonb("form").$type<ApplicationForm>().notNull(),
    /** The administrator's note on the last decision. */
    note: text("note").notNull().default(""),
    /** Incremented by each revocation: keys and sessions of an earlier epoch are invalid. */
    epoch: integer("epoch").notNull().default(0),
    createdAt: time("created_at").notNull(),
    decidedAt: time("decided_at"),
  },
  (table) => [index("applications_status").on(table.status, table.createdAt, table.id)],
);

/** Wallet partners. Addresses are lower case. */
export const partners = pgTable("partners", {
  address: text("address").primaryKey(),
  partnerId: text("partner_id").notNull().unique(),
  name: text("name").notNull().default(""),
  website: text("website").notNull().default(""),
  contactEmail: text("contact_email").notNull().default(""),
  description: text("description").notNull().default(""),
  partnerType: smallint("partner_type").notNull().default(2),
  /** Vault ids that deposits of the partner are restricted to; null: all. */
  vaults: jsonb("vaults").$type<string[]>(),
  createdAt: time("created_at").notNull().defaultNow(),
});

/** Each partner's key pair, as keyed hashes. */
export const apiKeys = pgTable("api_keys", {
  partnerAddress: text("partner_address")
    .primaryKey()
    .references(() => partners.address),
  /** HMAC-SHA-256, hexadecimal, with the pepper of `pepperVersion`. */
  keyDigest: text("key_digest").notNull().unique(),
  secretDigest: text("secret_digest").notNull(),
  pepperVersion: integer("pepper_version").notNull(),
  /** First and last characters of the key, for display. */
  prefix: text("prefix").notNull(),
  /** Incremented by each rotation. */
  version: integer("version").notNull().default(1),
  /** The application's epoch when the pair was created. */
  epoch: integer("epoch").notNull(),
  createdAt: time("created_at").notNull(),
});

/** Sessions of partners, by the SHA-256 of their token. */
export const sessions = pgTable(
  "sessions",
  {
    digest: text("digest").primaryKey(),
    partnerAddress: text("partner_address")
      .notNull()
      .references(() => partners.address),
    /** The application's epoch when the session began. */
    epoch: integer("epoch").notNull(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [index("sessions_partner").on(table.partnerAddress)],
);

/** Audit log of administrative changes; append-only. */
export const audit = pgTable(
  "audit",
  {
    id: text("id").primaryKey(),
    at: time("at").notNull(),
    /** `admin`, or the partner's address. */
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    /** The changed application, vault or partner. */
    subject: text("subject").notNull(),
    note: text("note").notNull().default(""),
    before: jsonb("before").$type<Record<string, unknown>>(),
    after: jsonb("after").$type<Record<string, unknown>>(),
    requestId: text("request_id").notNull(),
  },
  (table) => [index("audit_time").on(table.at, table.id), index("audit_subject").on(table.subject, table.at)],
);
