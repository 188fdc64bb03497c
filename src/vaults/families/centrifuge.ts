import { encodeFunctionData, parseAbi } from "viem";
import { describe, read, valueOrNull } from "../../chains/read.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import type {
  DepositCall,
  DepositRequest,
  DepositTerms,
  TermsRequest,
  VaultAdapter,
  VaultState,
} from "../adapter.ts";
import { ownErrors } from "../own-errors.ts";
import { choiceParam } from "../params.ts";
import type { Vault } from "../vault.ts";
import { centrifugeRequests } from "./centrifuge-requests.ts";
import { erc7540Call } from "./erc7540-call.ts";
import { erc7540Flows } from "./erc7540-flows.ts";
import { conversionReads, sharesRead, shownPrice, toldPrice, totalsReads } from "./erc7540-price.ts";

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

function describeTerms(vault: Vault, request: TermsRequest) {
  const { amount, receiver } = request;
  const sync = isSync(vault);
  const reads = {
    ...conversionReads(vault),
    share: read({ ...on(vault), name: "share" }),
    permitted: read({ ...on(vault), name: "isPermissioned", args: [receiver] }),
    preview: sync
      ? read({ ...on(vault), name: "previewDeposit", args: [amount] })
      : sharesRead(vault, amount),
    most: read({ ...on(vault), name: "maxDeposit", args: [receiver] }),
  };
  return describe(reads, (results): DepositTerms => {
    const ours = sameAddress(valueOrNull(results.share) ?? vault.shareToken, vault.shareToken);
    return {
      asset: ours ? valueOrNull(results.asset) : null,
      previewShares: valueOrNull(results.preview),
      previewRevert: results.preview.ok ? null : results.preview.revert,
      price: toldPrice(vault, results),
      // Of the asynchronous kind it is what the caller may claim, no capacity.
      maxDeposit: sync ? valueOrNull(results.most) : null,
      minDeposit: null,
      paused: false,
      refusal: valueOrNull(results.permitted) === false ? "not_allowed" : null,
    };
  });
}

function describeState(vault: Vault) {
  return describe(
    totalsReads(vault),
    (results): VaultState => ({
      totalAssets: valueOrNull(results.totalAssets),
      totalSupply: valueOrNull(results.totalSupply),
      sharePrice: shownPrice(vault, results),
      // Nobody in particular is a member, and so has no room.
      maxDeposit: null,
      minDeposit: null,
      paused: false,
    }),
  );
}

function encode(vault: Vault, request: DepositRequest): DepositCall {
  if (!isSync(vault)) return erc7540Call(vault, { request, data: null });
  const args = [request.amount, request.receiver] as const;
  const data = encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args });
  return erc7540Call(vault, { request, data });
}

const explain = ownErrors({
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
  flags: () => describe({}, () => ({ paused: false, minDeposit: null })),
  terms: describeTerms,
  encode,
  explain,
  flows: (vault) => erc7540Flows(vault, { swapped: isSync(vault) }),
  requests: (vault) => (isSync(vault) ? null : centrifugeRequests),
};
