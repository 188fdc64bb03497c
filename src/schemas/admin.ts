import { z } from "@hono/zod-openapi";
import { AddressText, ChainIdNumber, TimeText, VaultIdInput, VaultIdText } from "./primitives.ts";
import { Asset, VaultType } from "./vault.ts";

const Note = z.string().trim().max(1000).default("");

export const DecisionInput = z.strictObject({ note: Note }).openapi("DecisionInput");

const VaultStatus = z.enum(["active", "paused", "unsupported"]);

/** A vault to be added: what it is called, and which code talks to it. Its addresses are not for typing in. */
export const NewVaultInput = z
  .strictObject({
    vault_id: VaultIdInput,
    type: VaultType.default("custom"),
    adapter: z.string().min(1).max(64).default("erc4626"),
    name: z.string().trim().max(120).default("").openapi({ description: "Default: its own" }),
    curator: z.string().trim().max(120).default(""),
    note: Note,
  })
  .openapi("NewVaultInput");
export type NewVaultInput = z.infer<typeof NewVaultInput>;

export const VaultChangeInput = z
  .strictObject({ status: VaultStatus, reason: z.string().trim().max(500).default("") })
  .openapi("VaultChangeInput");
export type VaultChangeInput = z.infer<typeof VaultChangeInput>;

/** A row of the registry as it is. */
export const VaultRecord = z
  .object({
    vault_id: VaultIdText,
    chain_id: ChainIdNumber,
    address: AddressText,
    name: z.string(),
    type: VaultType,
    adapter: z.string(),
    status: VaultStatus,
    status_reason: z.string(),
    asset: Asset,
    share_token: AddressText,
    entry_point: AddressText,
    spender: AddressText,
    pricer: AddressText,
    caller: z.enum(["router", "user"]),
    curator: z.string(),
    created_at: TimeText,
    updated_at: TimeText,
  })
  .openapi("VaultRecord");
export type VaultRecord = z.infer<typeof VaultRecord>;

export const AuditEntry = z
  .object({
    id: z.string(),
    at: TimeText,
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    note: z.string(),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
    request_id: z.string(),
  })
  .openapi("AuditEntry");
export type AuditEntry = z.infer<typeof AuditEntry>;
