import { encodeFunctionData, parseAbi } from "viem";
import { createQuery, read, valueOrNull } from "../../chains/query.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import { familyErrors } from "../reverts.ts";
import type { Vault } from "../vault.ts";
import type {
  AsyncDeposits,
  DepositCall,
  DepositInput,
  DepositTerms,
  PendingDeposit,
  TermsInput,
  VaultAdapter,
  VaultState,
} from "../vault-adapter.ts";
import { choiceParam } from "../vault-params.ts";
import {
  conversionPrice,
  conversionReads,
  conversionSharePrice,
  convertToSharesRead,
  erc7540DepositCall,
  erc7540Flows,
  erc7540Requests,
  totalsReads,
} from "./erc7540.ts";

const requestsAbi = once(() =>
  parseAbi([
    "function pendingDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function claimableDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function maxMint(address controller) view returns (uint256)",
    "function isPermissioned(address controller) view returns (bool)",
    "function mint(uint256 shares, address receiver, address controller) returns (uint256 assets)",
  ]),
);
/** All requests of a controller are one. */
const REQUEST_ID = 0n;

/**
 * Requests that the user makes and claims in person. The vault remembers shares; what they are in assets is rounded
 * down twice and leaves some of them behind when it is claimed, so they are claimed as shares. Of somebody who is
 * no member any more it says that nothing may be claimed, not that there is nothing. Source: centrifuge/protocol.
 */
export const centrifugeRequests: AsyncDeposits = {
  ...erc7540Requests,
  pending(vault, { user }) {
    const on = { to: vault.entryPoint, abi: requestsAbi() } as const;
    const args = [REQUEST_ID, user] as const;
    return createQuery(
      {
        pending: read({ ...on, name: "pendingDepositRequest", args }),
        claimable: read({ ...on, name: "claimableDepositRequest", args }),
        shares: read({ ...on, name: "maxMint", args: [user] }),
        permitted: read({ ...on, name: "isPermissioned", args: [user] }),
      },
      ({ pending, claimable, shares, permitted }): PendingDeposit => {
        const barred = valueOrNull(permitted) === false;
        return {
          pendingAssets: valueOrNull(pending),
          claimableShares: barred ? null : valueOrNull(shares),
          claimableAssets: barred ? null : valueOrNull(claimable),
        };
      },
    );
  },
  claim(vault, { user, pending }) {
    const shares = pending.claimableShares;
    if (shares === null || shares === 0n) return null;
    const args = [shares, user, user] as const;
    return {
      target: vault.entryPoint,
      data: encodeFunctionData({ abi: requestsAbi(), functionName: "mint", args }),
    };
  },
};

const centrifugeAbi = once(() =>
  parseAbi([
    "function share() view returns (address)",
    "function isPermissioned(address controller) view returns (bool)",
    "function previewDeposit(uint256) view returns (uint256)",
    "function maxDeposit(address) view returns (uint256)",
  ]),
);
const depositAbi = once(() =>
  parseAbi(["function deposit(uint256 assets, address receiver) returns (uint256 shares)"]),
);

const isSync = (vault: Vault): boolean =>
  choiceParam(vault, { name: "deposit", choices: ["sync", "async"] }) === "sync";
const on = (vault: Vault) => ({ to: vault.entryPoint, abi: centrifugeAbi() }) as const;

function describeTerms(vault: Vault, request: TermsInput) {
  const { amount, receiver } = request;
  const sync = isSync(vault);
  const reads = {
    ...conversionReads(vault),
    share: read({ ...on(vault), name: "share" }),
    permitted: read({ ...on(vault), name: "isPermissioned", args: [receiver] }),
    preview: sync
      ? read({ ...on(vault), name: "previewDeposit", args: [amount] })
      : convertToSharesRead(vault, amount),
    most: read({ ...on(vault), name: "maxDeposit", args: [receiver] }),
  };
  return createQuery(reads, (results): DepositTerms => {
    const ours = sameAddress(valueOrNull(results.share) ?? vault.shareToken, vault.shareToken);
    return {
      asset: ours ? valueOrNull(results.asset) : null,
      previewShares: valueOrNull(results.preview),
      previewRevert: results.preview.ok ? null : results.preview.revert,
      price: conversionPrice(vault, results),
      // Of the asynchronous kind it is what the caller may claim, no capacity.
      maxDeposit: sync ? valueOrNull(results.most) : null,
      minDeposit: null,
      paused: false,
      refusal: valueOrNull(results.permitted) === false ? "not_allowed" : null,
    };
  });
}

function describeState(vault: Vault) {
  return createQuery(
    totalsReads(vault),
    (results): VaultState => ({
      totalAssets: valueOrNull(results.totalAssets),
      totalSupply: valueOrNull(results.totalSupply),
      sharePrice: conversionSharePrice(vault, results),
      // Nobody in particular is a member, and so has no room.
      maxDeposit: null,
      minDeposit: null,
      paused: false,
    }),
  );
}

function encode(vault: Vault, request: DepositInput): DepositCall {
  if (!isSync(vault)) return erc7540DepositCall(vault, { request, data: null });
  const args = [request.amount, request.receiver] as const;
  const data = encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args });
  return erc7540DepositCall(vault, { request, data });
}

const explain = familyErrors({
  errors: {
    "error TransferNotAllowed()": "not_allowed",
    "error TransferBlocked()": "not_allowed",
    "error RestrictionsFailed()": "not_allowed",
    "error InvalidOwner()": "not_allowed",
    "error VaultNotLinked()": "vault_paused",
    "error InvalidPrice()": "price_stale",
    "error CancellationIsPending()": null,
    "error ExceedsMaxDeposit()": "above_maximum",
  },
});

/**
 * Centrifuge v3: a share token of its own that only members may hold, so the user calls. `params.deposit` says
 * whether the vault mints at once (`sync`, whose Deposit event names the receiver first) or takes requests
 * (`async`, whose previews revert). Source: centrifuge/protocol, EIP-7540, EIP-7575.
 */
export const centrifuge: VaultAdapter = {
  name: "centrifuge",
  noMinimum: false,
  checkParams: (vault) => void isSync(vault),
  // Several vaults may share one token: what all of it is worth here says nothing of this vault's assets.
  lens: (vault) => ({ kind: "convert", shareToken: vault.shareToken, pricer: vault.pricer }),
  state: describeState,
  flags: () => createQuery({}, () => ({ paused: false, minDeposit: null })),
  terms: describeTerms,
  encode,
  explain,
  flows: (vault) => erc7540Flows(vault, { swapped: isSync(vault) }),
  requests: (vault) => (isSync(vault) ? null : centrifugeRequests),
};
