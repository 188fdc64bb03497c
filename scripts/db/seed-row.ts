import { z } from "zod";
import { vaultTypes } from "../../src/schemas/vault.ts";

const LowerAddress = z.string().regex(/^0x[0-9a-f]{40}$/, "a lower-case address");
const Decimals = z.int().min(0).max(36);

/** One vault of the registry as `drizzle/seed/vaults.json` holds it. */
export const SeedRow = z.strictObject({
  chainId: z.int().positive(),
  address: LowerAddress,
  type: z.enum(vaultTypes),
  adapter: z.string().min(1),
  params: z.record(z.string(), z.string()).default({}),
  name: z.string().min(1),
  assetAddress: LowerAddress,
  assetSymbol: z.string().min(1),
  assetDecimals: Decimals,
  shareToken: LowerAddress,
  shareDecimals: Decimals,
  entryPoint: LowerAddress,
  spender: LowerAddress,
  pricer: LowerAddress,
  acceptedAssets: z
    .array(z.object({ address: z.string(), symbol: z.string().min(1), decimals: Decimals }))
    .min(1),
  caller: z.enum(["router", "user"]).default("router"),
  curator: z.string().default(""),
  status: z.enum(["active", "paused", "unsupported"]).default("unsupported"),
  statusReason: z.string().default(""),
  /** In the asset's smallest unit. */
  minDeposit: z.string().regex(/^\d+$/, "a decimal amount").nullable().default(null),
  noMinimum: z.boolean().default(false),
  startBlock: z.int().min(0).nullable().default(null),
});
export type SeedRow = z.infer<typeof SeedRow>;

export const SeedRows = z.array(SeedRow);
