import { parseAbi } from "viem";
import { createQuery, read, valueOrNull } from "../../chains/query.ts";
import { once } from "../../lib/once.ts";
import type { Vault } from "../vault.ts";
import type { FamilyViews } from "./erc4626/family-views.ts";
import { defineErc4626 } from "./erc4626/index.ts";

const shutdownAbi = once(() =>
  parseAbi(["function isShutdown() view returns (bool)", "function isPaused() view returns (bool)"]),
);

/** The end of a vault or strategy, and the pause that strategies have since version 3.1. */
function shutdownViews(vault: Vault) {
  const on = { to: vault.entryPoint, abi: shutdownAbi() } as const;
  return createQuery(
    { shutdown: read({ ...on, name: "isShutdown" }), pause: read({ ...on, name: "isPaused" }) },
    ({ shutdown, pause }): FamilyViews => ({
      paused: valueOrNull(shutdown) === true || valueOrNull(pause) === true,
    }),
  );
}

/**
 * Yearn v3's vaults and tokenized strategies: the limit is the receiver's own and 0 for the zero address; a
 * vault that was shut down takes nothing any more. Source: yearn-vaults-v3, tokenized-strategy.
 */
export const yearn = defineErc4626({ name: "yearn_v3", ratio: true, views: shutdownViews });
