import * as z from "zod";
import { type AnyRoute, defineRoute, Reply } from "../http/define-route.ts";
import { pageReply } from "../http/paginated-response.ts";
import { ValidationFailure } from "../http/validate-request.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import { addVault } from "../registry/add-registry-vault.ts";
import { changeVault } from "../registry/change-registry-vault.ts";
import { importClaims, type VaultClaims } from "../registry/import-registry-claims.ts";
import { proveVaultNow } from "../registry/proofs/prove-due-vaults.ts";
import { listVaultRecords } from "../registry/registry-vault-records.ts";
import {
  ImportReport,
  NewVaultInput,
  RegistryStatus,
  VaultChangeInput,
  VaultRecord,
} from "../schemas/admin/admin-vault-schema.ts";
import { VaultCursor } from "../schemas/cursor-schema.ts";
import { limitParam, VaultIdInput } from "../schemas/primitive-schemas.ts";

const adminVaultsList = defineRoute({
  operationId: "admin.vaults.list",
  method: "get",
  path: "/v1/admin/vaults",
  summary: "List the vaults in the registry",
  description:
    "Returns vaults of every status with their claimed properties, their sources and their last proof, ordered by id. The `Link` header contains the URL of the next page.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  query: z.object({
    state: RegistryStatus.optional().meta({ description: "Return only vaults with this status." }),
    cursor: VaultCursor.optional(),
    limit: limitParam(500, 100),
  }),
  response: { schema: z.array(VaultRecord), description: "One page of registry entries" },
  errors: ["store_unavailable"],
  handler: async (ctx, { query: { state, limit, cursor } }) => {
    const page = await listVaultRecords(ctx, { limit, after: cursor ?? null, status: state ?? null });
    return pageReply(page, { path: "/v1/admin/vaults", query: { state, limit } });
  },
});

/** Maximum size of a request that adds vaults, in bytes, enough for 500 complete claims. */
const MAX_CLAIM_BYTES = 256 * 1024;

/** Throws a ValidationFailure with the contradiction between on-chain data and a claim. */
function contradicted(field: string, finding: string): never {
  throw new ValidationFailure([{ loc: ["body", field], msg: finding, type: "claim_contradicted" }]);
}

type ClaimBody = Pick<
  z.output<typeof NewVaultInput>,
  "adapter" | "asset" | "share_token" | "params" | "accepted_assets" | "name" | "curator"
>;

function toClaims(key: VaultKey, body: ClaimBody): VaultClaims {
  const { adapter, asset = null, share_token: shareToken = null, params, name, curator } = body;
  return { ...key, adapter, asset, shareToken, params, acceptedAssets: body.accepted_assets, name, curator };
}

const adminVaultsAdd = defineRoute({
  operationId: "admin.vaults.add",
  method: "post",
  path: "/v1/admin/vaults",
  summary: "Add vaults",
  description:
    "Adds one vault, or up to 500 in `vaults`, with status `candidate`; their proofs open or refuse them. The contract " +
    "addresses of one vault are read from on-chain data now, if the chain responds, and a claim that the chain " +
    "contradicts is answered with 422 and the finding; those of several are read by their proofs. A vault that already exists stays unchanged and is " +
    "returned with 200; a candidate that only a public list or a register named is added again, with the new claims.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  body: NewVaultInput,
  maxBodyBytes: MAX_CLAIM_BYTES,
  response: {
    schema: z.union([VaultRecord, ImportReport]),
    description: "The new registry entry, or the report on several claims",
    status: 201,
    existing: "The unchanged registry entry of a vault that already existed",
  },
  errors: ["chain_unsupported", "store_unavailable"],
  handler: async (ctx, { body }) => {
    const { vault_id, vaults, list = null, unlisted = [], note, type } = body;
    if (vault_id === undefined) {
      const claims = (vaults ?? []).map(({ vault_id: key, ...rest }) => toClaims(key, rest));
      return importClaims(ctx, { claims, list, unlisted, note });
    }
    const outcome = await addVault(ctx, { claims: toClaims(vault_id, body), type, note });
    if ("finding" in outcome) return contradicted("vault_id", outcome.finding);
    return new Reply(outcome.record, { existing: !outcome.added });
  },
});

const adminVaultsChange = defineRoute({
  operationId: "admin.vaults.change",
  method: "patch",
  path: "/v1/admin/vaults/{vault_id}",
  summary: "Change a vault",
  description:
    "Changes the status, what is claimed, or the texts of a vault. Before a vault is opened or its claims are changed, its " +
    "contracts are read from on-chain data and a deposit is simulated; a change that the chain contradicts is answered " +
    "with 422 and the finding. It takes effect immediately in builds and within a minute in lists of vaults.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  params: z.object({ vault_id: VaultIdInput }),
  body: VaultChangeInput,
  response: { schema: VaultRecord, description: "The changed registry entry" },
  errors: [
    "vault_not_found",
    "chain_unsupported",
    "store_unavailable",
    "upstream_unavailable",
    "upstream_timeout",
  ],
  handler: async (ctx, { params, body }) => {
    const outcome = await changeVault(ctx, { key: params.vault_id, change: body });
    return "finding" in outcome ? contradicted(outcome.field, outcome.finding) : outcome.record;
  },
});

const adminVaultsProve = defineRoute({
  operationId: "admin.vaults.prove",
  method: "post",
  path: "/v1/admin/vaults/{vault_id}/prove",
  summary: "Prove a vault now",
  description:
    "Reads the vault's contracts from on-chain data, compares them with its entry and simulates a deposit. If this succeeds, a candidate becomes `active`, unless the admission gate holds it back; if it shows that the vault is unfit, `refused`. A vault that an administrator closed stays closed.",
  tag: "Administration",
  access: "admin",
  cache: "no-store",
  params: z.object({ vault_id: VaultIdInput }),
  response: { schema: VaultRecord, description: "The registry entry after the proof" },
  errors: ["vault_not_found", "store_unavailable", "upstream_unavailable"],
  handler: (ctx, { params }) => proveVaultNow(ctx, params.vault_id),
});

/** Administrators' routes: list, add, change and prove vaults in the registry. */
export const adminVaultRoutes: readonly AnyRoute[] = [
  adminVaultsList,
  adminVaultsAdd,
  adminVaultsChange,
  adminVaultsProve,
];
