import { z } from "zod";
import { describeError } from "../../src/lib/logger.ts";
import { vaultTypes } from "../../src/schemas/vault-schema.ts";
import { parseRegistryRow } from "../../src/vaults/find-vault.ts";
import type { StoredVault } from "../../src/vaults/vault.ts";

const LowerAddress = z.string().regex(/^0x[0-9a-f]{40}$/, "a lower-case address");
const Decimals = z.int().min(0).max(36);

/** One vault in `drizzle/seed/vaults.json`. All fields must be complete if its status is `active` or `paused`. */
export const SeedRow = z
  .strictObject({
    chainId: z.int().positive(),
    address: LowerAddress,
    type: z.enum(vaultTypes),
    adapter: z.string().min(1),
    params: z.record(z.string(), z.string()).default({}),
    name: z.string().min(1),
    assetAddress: LowerAddress,
    assetSymbol: z.string(),
    assetDecimals: Decimals,
    shareToken: LowerAddress,
    shareDecimals: Decimals,
    entryPoint: LowerAddress,
    spender: LowerAddress,
    pricer: LowerAddress,
    acceptedAssets: z.array(z.object({ address: z.string(), symbol: z.string().min(1), decimals: Decimals })),
    caller: z.enum(["router", "user"]).default("router"),
    curator: z.string().default(""),
    status: z.enum(["candidate", "active", "paused", "unsupported"]).default("candidate"),
    statusReason: z.string().default(""),
    /** Minimum deposit in the asset's smallest unit, or null if unknown. */
    minDeposit: z.string().regex(/^\d+$/, "a decimal amount").nullable().default(null),
    noMinimum: z.boolean().default(false),
    startBlock: z.int().min(0).nullable().default(null),
  })
  .refine(isComplete, "a row that takes deposits names its asset and takes it")
  .superRefine((row, context) => {
    const message = isOpen(row) ? faultOf(row) : null;
    if (message !== null) context.addIssue({ code: "custom", message });
  });
/** One vault in `drizzle/seed/vaults.json`, parsed. */
export type SeedRow = z.infer<typeof SeedRow>;

/** All rows of a seed file. */
export const SeedRows = z.array(SeedRow);

/** Returns the reason why a row cannot be used, or null. */
function faultOf(row: StoredVault): string | null {
  try {
    parseRegistryRow(row);
    return null;
  } catch (error) {
    return describeError(error);
  }
}

const isOpen = ({ status }: { status: string }): boolean => status === "active" || status === "paused";

/** Returns true if a row has every required address. Other rows are never used and may be incomplete. */
function isComplete(row: {
  status: string;
  assetAddress: string;
  assetSymbol: string;
  acceptedAssets: readonly { address: string }[];
}): boolean {
  if (!isOpen(row)) return true;
  const takes = row.acceptedAssets.some(({ address }) => address.toLowerCase() === row.assetAddress);
  return takes && row.assetSymbol !== "" && !/^0x0+$/.test(row.assetAddress);
}
