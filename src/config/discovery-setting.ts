import * as z from "zod";
import { once } from "../lib/once.ts";
import { ContractAddress } from "./environment-value-schemas.ts";

const ChainAddress = z.string().regex(/^[1-9][0-9]{0,15}:0x[0-9a-fA-F]{40}$/);

/** Schema of the variable, created on first use because most isolates start without the variable. */
const schema = once(() =>
  z.strictObject({
    /** Assets whose discovered or imported vaults may be opened, as `<chain id>:<address>`. */
    assets: z.array(ChainAddress).default([]),
    /** Minimum total assets of a discovered or imported vault, in US dollars by Causeway's own price. */
    min_tvl_usd: z.int().min(0).default(1_000_000),
    /**
     * Minimum number of days since a discovered or imported vault was created or, if no node keeps the chain's state of
     * that time, since it was added to the registry.
     */
    min_age_days: z.int().min(0).default(30),
    /**
     * Pinned code of discovered or imported vaults that may open, as `<chain id>:<code>`, with the code as
     * `registry:check` shows it. The code of reviewed, open vaults usually needs no entry.
     */
    code: z.array(z.string().regex(/^[1-9][0-9]{0,15}:[a-z]+:0x[0-9a-zA-Z/]+$/)).default([]),
    /** Discovered or imported vaults, or their assets, that must not be open, as `<chain id>:<address>`. */
    blocked: z.array(ChainAddress).default([]),
    /** Externally owned accounts that may govern a discovered or imported vault, as `<chain id>:<address>`. */
    owners: z.array(ChainAddress).default([]),
    /** Minimum timelock of a discovered or imported vault in seconds, if one is read for its family. */
    min_timelock_s: z.int().min(0).default(1),
    /** Registers on chains for which the code has none; those on other chains are ignored. */
    registers: z
      .array(
        z.strictObject({
          chain_id: z.int().positive(),
          address: ContractAddress,
          adapter: z.string().min(1).max(64),
          protocol: z.string().min(1).max(60),
          openness: z.enum(["governed", "anybody"]),
          /**
           * View function that lists the vaults. With one of the last three, the register is a factory that is not
           * read, but asked about single vaults. Absent if it is read like those of its family in code.
           */
          view: z
            .enum([
              ...(["getStataTokens", "verifiedArray", "allTokens", "getAllEndorsedVaults"] as const),
              ...(["isProxy", "isVault", "vault_original"] as const),
            ])
            .optional(),
        }),
      )
      .default([]),
  }),
);

/**
 * Settings of vault discovery (variable `DISCOVERY`), with defaults filled in: which discovered or imported vaults may
 * open, and additional registers.
 */
export type DiscoverySetting = z.output<ReturnType<typeof schema>>;

/**
 * Validates the parsed JSON of the environment variable `DISCOVERY`; undefined or null gives the defaults. For an
 * invalid setting, adds a Zod issue and returns the defaults.
 */
export function parseDiscoverySetting(
  value: unknown,
  context: { addIssue(issue: { code: "custom"; message: string }): void },
): DiscoverySetting {
  const parsed = schema().safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  context.addIssue({ code: "custom", message: "not discovery settings" });
  return schema().parse({});
}
