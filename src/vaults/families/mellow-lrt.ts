import { parseAbi } from "viem";
import { createQuery, read, valueOrNull } from "../../chains/query.ts";
import { once } from "../../lib/once.ts";
import type { Vault } from "../vault.ts";
import type { TermsInput } from "../vault-adapter.ts";
import type { FamilyViews } from "./erc4626/family-views.ts";
import { defineErc4626 } from "./erc4626/index.ts";

const depositSwitchAbi = once(() =>
  parseAbi([
    "function depositPause() view returns (bool)",
    "function depositWhitelist() view returns (bool)",
    "function isDepositorWhitelisted(address account) view returns (bool)",
  ]),
);

/** Why `maxDeposit`, which follows all of these, is 0. */
function depositSwitchViews(vault: Vault, asked: TermsInput | null) {
  const on = { to: vault.entryPoint, abi: depositSwitchAbi() } as const;
  const account = asked?.receiver ?? vault.entryPoint;
  return createQuery(
    {
      paused: read({ ...on, name: "depositPause" }),
      listed: read({ ...on, name: "depositWhitelist" }),
      admitted: read({ ...on, name: "isDepositorWhitelisted", args: [account] }),
    },
    ({ paused, listed, admitted }): FamilyViews => {
      const shut = asked !== null && valueOrNull(listed) === true && valueOrNull(admitted) === false;
      return { paused: valueOrNull(paused) === true, refusal: shut ? "not_allowed" : null };
    },
  );
}

/**
 * Mellow's Simple LRT vaults (Lido's DVV among them): ERC-4626 with a pause, a limit and a list of depositors.
 * Source: mellow-finance/simple-lrt.
 */
export const mellowLrt = defineErc4626({ name: "mellow_lrt", ratio: true, views: depositSwitchViews });
