import { zeroAddress } from "viem";
import { expect, test } from "vitest";
import { unlessUnmade } from "../../../../src/chains/chain-reads.ts";
import { upshiftDeriver } from "../../../../src/vaults/families/upshift/upshift-derivation.ts";
import { upshiftLegacyFamily } from "../../../../src/vaults/families/upshift/upshift-legacy-adapter.ts";
import { unreviewedSubject } from "../../../../src/vaults/vault-deriver.ts";
import { OTHER, USDC, vault } from "../../../support/deposits/fixtures.ts";
import { answer, Revert, UNMADE } from "../../../support/vaults/answer.ts";

const views = {
  ...{ asset: USDC, share: OTHER, price: 1_000_000n, senders: zeroAddress },
  ...{
    name: "Upshift",
    symbol: "USDC",
    decimals: 6,
    supply: 1n,
    depositsPaused: false,
    maxDepositAmount: 1n,
  },
  ...{ total: 1n, preview: 1n, balance: 0n, allowance: 0n },
};
const deriverOf = { multi: upshiftDeriver, legacy: upshiftLegacyFamily.deriver };

test.each(["multi", "legacy"] as const)(
  "the lag of a %s vault is its wait, and forgotten with it",
  (kind) => {
    // A legacy vault is its own share token.
    const own = kind === "legacy" ? { share: vault.address } : {};
    const paramsBy = (table: Record<string, unknown>) => {
      const params = { withdraw_seconds: "1", other: "kept" };
      const subject = { ...unreviewedSubject({ chainId: 1, address: vault.address }), params };
      const derivation = answer(deriverOf[kind].derive(subject), { ...views, ...own, ...table });
      if (!derivation.ok) throw new Error(derivation.reason);
      return derivation.vault.params;
    };
    expect(paramsBy({ lag: 172_800n })).toEqual({ other: "kept", withdraw_seconds: "172800" });
    expect(paramsBy({})).toEqual({ other: "kept" });
  },
);

test.each(["assets", "entry", `more/${OTHER}/token/symbol`])(
  "accepted tokens are unread, not fewer, if no node made the call %s",
  (name) => {
    const subject = { ...unreviewedSubject({ chainId: 1, address: vault.address }), tokens: [USDC, OTHER] };
    const derive = (table: Record<string, unknown>) =>
      answer(unlessUnmade(upshiftDeriver.derive(subject)), {
        ...views,
        ...{ assets: vault.address, entry: true, ...table },
      });
    expect(derive({})).toMatchObject({ vault: { acceptedAssets: [{ address: USDC }, { address: OTHER }] } });
    expect(derive({ [name]: UNMADE })).toBe("unread");
    const refused = derive({ [name]: new Revert("0x") });
    expect(refused).toMatchObject({ ok: true, vault: { acceptedAssets: [{ address: USDC }] } });
  },
);
