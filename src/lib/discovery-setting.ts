import * as z from "zod";
import { once } from "./once.ts";
import { ContractAddress } from "./setting-schemas.ts";

/** Schema of the variable, created on first use because most isolates start without the variable. */
const schema = once(() =>
  z.strictObject({
    /** Assets whose discovered vaults may be opened, as `<chain id>:<address>`. */
    assets: z.array(z.string().regex(/^[1-9][0-9]{0,15}:0x[0-9a-fA-F]{40}$/)).default([]),
    /** Minimum total assets of a discovered vault, in US dollars by Causeway's own price. */
    min_tvl_usd: z.int().min(0).default(1_000_000),
    /** Minimum number of days since a discovered vault was first seen. */
    min_age_days: z.int().min(0).default(30),
    /** Registers on chains that are not defined in code; those on other chains are ignored. */
    registers: z
      .array(
        z.strictObject({
          chain_id: z.int().positive(),
          address: ContractAddress,
          adapter: z.string().min(1).max(64),
          protocol: z.string().min(1).max(60),
          openness: z.enum(["governed", "anybody"]),
          view: z.enum(["getStataTokens", "verifiedArray", "allTokens", "getAllEndorsedVaults"]),
        }),
      )
      .default([]),
  }),
);

/** Settings of vault discovery (variable `DISCOVERY`). Without `assets`, no discovered vault is opened. */
export type DiscoverySetting = z.output<ReturnType<typeof schema>>;

/**
 * Parses the environment variable `DISCOVERY`, or returns the defaults if it is not set. Adds a Zod issue for an
 * invalid setting.
 */
export function parseDiscoverySetting(
  value: unknown,
  context: { addIssue(issue: { code: "custom"; message: string }): void },
): DiscoverySetting {
  const defaults = { assets: [], min_tvl_usd: 1_000_000, min_age_days: 30, registers: [] };
  if (value === undefined) return defaults;
  const parsed = schema().safeParse(value);
  if (parsed.success) return parsed.data;
  context.addIssue({ code: "custom", message: "not discovery settings" });
  return defaults;
}
