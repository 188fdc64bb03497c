import { parseAbi } from "viem";
import { describe, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { Vault } from "../vault.ts";
import { defineErc4626 } from "./erc4626.ts";
import type { OwnViews } from "./own-views.ts";

const shutdownAbi = once(() => parseAbi(["function isShutdown() view returns (bool)"]));

function shutdown(vault: Vault) {
  return describe(
    { shutdown: read({ to: vault.entryPoint, abi: shutdownAbi(), name: "isShutdown" }) },
    ({ shutdown: told }): OwnViews => ({ paused: valueOrNull(told) === true }),
  );
}

/**
 * Yearn v3's vaults and tokenized strategies: the limit is the receiver's own and 0 for the zero address; a
 * vault that was shut down takes nothing any more. Source: yearn-vaults-v3.
 */
export const yearn = defineErc4626({ name: "yearn_v3", ratio: true, views: shutdown });
