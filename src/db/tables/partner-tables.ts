import { boolean, index, integer, jsonb, pgTable, smallint, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { KeyRight } from "../../schemas/partner-api-key-schema.ts";
import type { ApplicationForm, ApplicationStatus } from "../../schemas/partner-application-schema.ts";
import { time } from "./table-columns.ts";

/** Wallets' applications to become partners, one per address. Addresses are lowercase. */
export const applications = pgTable(
  "applications",
  {
    id: text("id").primaryKey(),
    address: text("address").notNull().unique(),
    status: text("status").$type<ApplicationStatus>().notNull(),
    form: jsonb("form").$type<ApplicationForm>().notNull(),
    /** The administrator's note on the last decision. */
    note: text("note").notNull().default(""),
    /** Incremented by each revocation. API keys and sessions of an earlier epoch are invalid. */
    epoch: integer("epoch").notNull().default(0),
    createdAt: time("created_at").notNull(),
    decidedAt: time("decided_at"),
  },
  (table) => [index("applications_status").on(table.status, table.createdAt, table.id)],
);

/** Partners: wallets that have registered with an approved application. Addresses are lowercase. */
export const partners = pgTable("partners", {
  address: text("address").primaryKey(),
  partnerId: text("partner_id").notNull().unique(),
  name: text("name").notNull().default(""),
  website: text("website").notNull().default(""),
  contactEmail: text("contact_email").notNull().default(""),
  description: text("description").notNull().default(""),
  partnerType: smallint("partner_type").notNull().default(2),
  /** Ids of the vaults for which the partner may build deposits and withdrawals; null means all vaults. */
  vaults: jsonb("vaults").$type<string[]>(),
  createdAt: time("created_at").notNull().defaultNow(),
});

/** Each partner's first API key and secret, stored as HMACs. */
export const apiKeys = pgTable("api_keys", {
  partnerAddress: text("partner_address")
    .primaryKey()
    .references(() => partners.address),
  /** HMAC-SHA-256 of the API key in hex, with the pepper of `pepperVersion`; `secretDigest` is that of the secret. */
  keyDigest: text("key_digest").notNull().unique(),
  secretDigest: text("secret_digest").notNull(),
  pepperVersion: integer("pepper_version").notNull(),
  /** First and last characters of the API key, for display. */
  prefix: text("prefix").notNull(),
  /** Incremented each time the API key and secret are rotated, revoked or replaced. */
  version: integer("version").notNull().default(1),
  /** The partner application's epoch at the time the API key was created. */
  epoch: integer("epoch").notNull(),
  createdAt: time("created_at").notNull(),
  name: text("name").notNull().default("First key"),
  rights: jsonb("rights").$type<KeyRight[]>().notNull().default(["build", "read", "manage"]),
  /** Ranges of client addresses in CIDR notation; an empty list allows every address. */
  allowList: jsonb("allow_list").$type<string[]>().notNull().default([]),
  lastUsedAt: time("last_used_at"),
  /** True after the partner has revoked the key pair, until another one takes its place. */
  revoked: boolean("revoked").notNull().default(false),
});

/**
 * Additional key pairs of partners, besides the one in `api_keys`: at most four per partner, in slots from 1, which
 * enforce the limit under concurrent creation.
 */
export const partnerKeys = pgTable(
  "partner_keys",
  {
    keyId: text("key_id").primaryKey(),
    partnerAddress: text("partner_address")
      .notNull()
      .references(() => partners.address),
    slot: smallint("slot").notNull(),
    name: text("name").notNull(),
    rights: jsonb("rights").$type<KeyRight[]>().notNull(),
    /** Ranges of client addresses in CIDR notation; an empty list allows every address. */
    allowList: jsonb("allow_list").$type<string[]>().notNull(),
    keyDigest: text("key_digest").notNull().unique(),
    secretDigest: text("secret_digest").notNull(),
    pepperVersion: integer("pepper_version").notNull(),
    prefix: text("prefix").notNull(),
    version: integer("version").notNull().default(1),
    epoch: integer("epoch").notNull(),
    createdAt: time("created_at").notNull(),
    lastUsedAt: time("last_used_at"),
  },
  (table) => [uniqueIndex("partner_keys_slot").on(table.partnerAddress, table.slot)],
);

/** Sessions of partners, by the SHA-256 of the session token. */
export const sessions = pgTable(
  "sessions",
  {
    digest: text("digest").primaryKey(),
    partnerAddress: text("partner_address")
      .notNull()
      .references(() => partners.address),
    /** The partner application's epoch at the time the session was created. */
    epoch: integer("epoch").notNull(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [index("sessions_partner").on(table.partnerAddress)],
);

/** Audit log of changes made by administrators, partners and the service's checks of vaults; append-only. */
export const audit = pgTable(
  "audit",
  {
    id: text("id").primaryKey(),
    at: time("at").notNull(),
    /**
     * Who made the change: `admin`, the partner's lowercase address, `proof` for a scheduled check of a vault, `seed` for
     * a release's list of vaults, or `registry:check` for the operator's script of that name.
     */
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    /** What was changed: the id of a partner application, a vault or a key pair, or the address of a partner. */
    subject: text("subject").notNull(),
    note: text("note").notNull().default(""),
    before: jsonb("before").$type<Record<string, unknown>>(),
    after: jsonb("after").$type<Record<string, unknown>>(),
    requestId: text("request_id").notNull(),
  },
  (table) => [index("audit_time").on(table.at, table.id), index("audit_subject").on(table.subject, table.at)],
);
