import { encodeFunctionData, hexToString, isHex, parseAbi } from "viem";
import {
  createQuery,
  type Query,
  type ReadResults,
  read,
  readThen,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import { settingOf, wardEvents } from "../../governance/common-governance-events.ts";
import {
  changeEvent,
  type EventTerms,
  type GovernanceEvent,
  isNone,
  tookEffect,
} from "../../governance/governance-event.ts";
import type { Vault } from "../../vault.ts";
import type {
  AsyncDeposits,
  DepositCall,
  DepositInput,
  DepositTerms,
  PendingDeposit,
  TermsInput,
  VaultAdapter,
  VaultFamily,
  VaultState,
} from "../../vault-adapter.ts";
import type { DerivationSubject } from "../../vault-deriver.ts";
import { addressParam, choiceParam } from "../../vault-params.ts";
import { familyErrors } from "../../vault-reverts.ts";
import {
  erc4626Deriver,
  type Identification,
  notIdentified,
  ORDINARY_ACCOUNT,
} from "../erc4626-base/erc4626-derivation.ts";
import {
  conversionPrice,
  conversionReads,
  conversionSharePrice,
  convertToSharesRead,
  erc7540DepositCall,
  erc7540Flows,
  erc7540Requests,
  totalsReads,
} from "../erc7540/erc7540-base.ts";
import { centrifugeExits } from "./centrifuge-exits.ts";

const requestsAbi = once(() =>
  parseAbi([
    "function pendingDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function claimableDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function claimableCancelDepositRequest(uint256 requestId, address controller) view returns (uint256)",
    "function maxMint(address controller) view returns (uint256)",
    "function isPermissioned(address controller) view returns (bool)",
    "function mint(uint256 shares, address receiver, address controller) returns (uint256 assets)",
    "function claimCancelDepositRequest(uint256 requestId, address receiver, address controller) returns (uint256 assets)",
  ]),
);
/** The request id that all deposit requests of a controller share. */
const REQUEST_ID = 0n;

/**
 * Asynchronous deposits into Centrifuge vaults, claimed with `mint`, because a claim in assets would leave shares
 * behind. The claimable amounts are null for an account that is not a member. Assets of cancelled requests count as
 * pending until the user claims them back, after the shares. If one of both is unread, `pendingAssets` is the other, or
 * null if that is 0. Source: centrifuge/protocol.
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
        returned: read({ ...on, name: "claimableCancelDepositRequest", args }),
        shares: read({ ...on, name: "maxMint", args: [user] }),
        permitted: read({ ...on, name: "isPermissioned", args: [user] }),
      },
      ({ pending, claimable, returned, shares, permitted }): PendingDeposit => {
        const back = valueOrNull(returned) ?? 0n;
        const open = (valueOrNull(pending) ?? 0n) + back;
        // Without membership, the vault returns 0 claimable shares even if there are some.
        const barred = valueOrNull(permitted) === false;
        return {
          // A failed read does not hide what is known to be open, and does not look like nothing.
          pendingAssets: open > 0n || (pending.ok && returned.ok) ? open : null,
          claimableShares: barred ? null : valueOrNull(shares),
          claimableAssets: barred ? null : valueOrNull(claimable),
          ...(back > 0n && { returnedAssets: back }),
        };
      },
    );
  },
  claim(vault, { user, pending }) {
    const { claimableShares: shares, returnedAssets = 0n } = pending;
    const [target, abi] = [vault.entryPoint, requestsAbi()];
    if (shares !== null && shares > 0n)
      return { target, data: encodeFunctionData({ abi, functionName: "mint", args: [shares, user, user] }) };
    if (returnedAssets === 0n) return null;
    const args = [REQUEST_ID, user, user] as const;
    const data = encodeFunctionData({ abi, functionName: "claimCancelDepositRequest", args });
    return { target, data, paysBack: true };
  },
};

const centrifugeAbi = once(() =>
  parseAbi([
    "function share() view returns (address)",
    "function isPermissioned(address controller) view returns (bool)",
    "function previewDeposit(uint256) view returns (uint256)",
    "function maxDeposit(address) view returns (uint256)",
    "function isLinked(address vault) view returns (bool)",
  ]),
);
const depositAbi = once(() =>
  parseAbi(["function deposit(uint256 assets, address receiver) returns (uint256 shares)"]),
);

const isSync = (vault: Vault): boolean =>
  choiceParam(vault, { name: "deposit", choices: ["sync", "async"] }) === "sync";
const on = (vault: Vault) => ({ to: vault.entryPoint, abi: centrifugeAbi() }) as const;

/**
 * Creates the read of whether a vault is linked, without which it takes no requests and pays no claims. It fails for a
 * registry entry that names no register.
 */
const linkReads = (vault: Vault) => ({
  linked: read({
    to: addressParam(vault, "vault_register") ?? vault.entryPoint,
    abi: centrifugeAbi(),
    name: "isLinked",
    args: [vault.address],
  }),
});

const isUnlinked = ({ linked }: ReadResults<ReturnType<typeof linkReads>>): boolean =>
  valueOrNull(linked) === false;

function describeTerms(vault: Vault, request: TermsInput) {
  const { amount, receiver } = request;
  const sync = isSync(vault);
  const reads = {
    ...conversionReads(vault),
    ...linkReads(vault),
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
      // An asynchronous vault's `maxDeposit` is the claimable amount of the account, not a capacity.
      maxDeposit: sync ? valueOrNull(results.most) : null,
      minDeposit: null,
      paused: isUnlinked(results),
      refusal: valueOrNull(results.permitted) === false ? "not_allowed" : null,
    };
  });
}

function describeState(vault: Vault) {
  return createQuery(
    { ...totalsReads(vault), ...linkReads(vault) },
    (results): VaultState => ({
      totalAssets: valueOrNull(results.totalAssets),
      totalSupply: valueOrNull(results.totalSupply),
      sharePrice: conversionSharePrice(vault, results),
      // The limit depends on the receiver's membership, and no receiver is given here.
      maxDeposit: null,
      minDeposit: null,
      paused: isUnlinked(results),
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
    "error CancellationIsPending()": "request_pending",
    "error ExceedsMaxDeposit()": "above_maximum",
  },
});

/**
 * Adapter of Centrifuge v3 vaults, which the user must call, because only members may hold shares. They mint at once or
 * take requests, by the registry parameter `deposit`. Sources: centrifuge/protocol, EIP-7540, EIP-7575.
 */
export const centrifuge: VaultAdapter = {
  name: "centrifuge",
  noMinimum: false,
  checkParams: (vault) => {
    isSync(vault);
    addressParam(vault, "vault_register");
  },
  // Several vaults may issue the same share token, so one vault's assets / total supply is not the share price.
  lens: (vault) => ({ kind: "convert", shareToken: vault.shareToken, pricer: vault.pricer }),
  state: describeState,
  flags: (vault) =>
    createQuery(linkReads(vault), (results) => ({ paused: isUnlinked(results), minDeposit: null })),
  terms: describeTerms,
  encode,
  explain,
  flows: (vault) => erc7540Flows(vault, { swapped: isSync(vault) }),
  asyncDeposits: (vault) => (isSync(vault) ? null : centrifugeRequests),
  exits: centrifugeExits,
};

const identificationAbi = once(() =>
  parseAbi([
    "function isOperator(address controller, address operator) view returns (bool)",
    "function isPermissioned(address controller) view returns (bool)",
    "function vaultKind() view returns (uint8)",
    "function asyncRedeemManager() view returns (address)",
    "function vaultRegistry() view returns (address)",
    "function spoke() view returns (address)",
  ]),
);
/** Value of the registry parameter `deposit` by supported `vaultKind()`: 0 takes requests, 2 mints immediately. */
const DEPOSIT_KINDS: Readonly<Record<number, string>> = { 0: "async", 2: "sync" };

/**
 * Returns a query that identifies a Centrifuge vault by its operator and membership views. `vaultKind()` shows whether
 * it mints immediately or takes requests; a vault of another kind is rejected. Its manager names the register of linked
 * vaults, which before version 3.1 is the contract `spoke`.
 */
function identifyCentrifuge({ address, params }: DerivationSubject): Query<Identification> {
  const onSubject = { to: address, abi: identificationAbi() } as const;
  const reads = {
    operator: read({ ...onSubject, name: "isOperator", args: [ORDINARY_ACCOUNT, ORDINARY_ACCOUNT] }),
    permitted: read({ ...onSubject, name: "isPermissioned", args: [ORDINARY_ACCOUNT] }),
    kind: read({ ...onSubject, name: "vaultKind" }),
    manager: read({ ...onSubject, name: "asyncRedeemManager" }),
  };
  return readThen(reads, ({ operator, permitted, kind, manager }): Query<Identification> => {
    const not = (why: string) => createQuery({}, (): Identification => notIdentified("Centrifuge", why));
    if (!operator.ok || !permitted.ok) return not("it has no isOperator() and isPermissioned()");
    const deposit = kind.ok ? DEPOSIT_KINDS[kind.value] : undefined;
    if (deposit === undefined) return not("its vaultKind() is not supported");
    const named = { ...params, deposit };
    if (!manager.ok) return createQuery({}, () => ({ ok: true, caller: "user", params: named }));
    const onManager = { to: manager.value, abi: identificationAbi() } as const;
    const registers = {
      registry: read({ ...onManager, name: "vaultRegistry" }),
      spoke: read({ ...onManager, name: "spoke" }),
    };
    return createQuery(registers, ({ registry, spoke }): Identification => {
      const register = valueOrNull(registry) ?? valueOrNull(spoke);
      const linked = register === null ? {} : { vault_register: register };
      return { ok: true, caller: "user", params: { ...named, redeem_manager: manager.value, ...linked } };
    });
  });
}

/**
 * Returns the name of a linked contract from an event's bytes32 name, such as "manager", or null if that is not a word
 * of at most 32 characters.
 */
const linkName = (what: unknown): string | null => {
  const name = isHex(what) ? hexToString(what).replace(/\0+$/, "") : "";
  return /^\w{1,32}$/.test(name) ? name : null;
};

const LINK_ADVICE = {
  hook: "The hook decides who may deposit, redeem and transfer shares: check whether your account still can.",
  other: "Find out what this contract does before you deposit or leave funds in the vault.",
};
const REMOVED_LINK_ADVICE = {
  hook: "Without a hook, no contract restricts who may deposit, redeem or transfer shares.",
  other:
    "Find out whether the vault still works without this contract before you deposit or leave funds in it.",
};

/** Creates the texts about a new linked contract, such as the manager of the vault or the hook of its share token. */
const linkTexts = (contract: "address" | "shareToken"): EventTerms => ({
  what: settingOf(contract, "linked contract"),
  title: ({ what, data }) => {
    const name = linkName(what);
    return `${settingOf(contract, name === null ? "linked contract" : `"${name}" contract`)} ${isNone(data) ? "removed" : "changed"}`;
  },
  report: ({ what, data }, context) => {
    const name = linkName(what);
    const user = contract === "address" ? context.vault : `the share token of ${context.vault}`;
    const setting =
      name === null ? `A contract that ${user} uses` : `The contract that ${user} uses as "${name}"`;
    if (isNone(data)) return `${setting} was removed at ${context.time}.`;
    return `${setting} is now ${data}.${tookEffect(context)}`;
  },
  advice: ({ what, data }) =>
    (isNone(data) ? REMOVED_LINK_ADVICE : LINK_ADVICE)[linkName(what) === "hook" ? "hook" : "other"],
  tier: "medium",
});

/**
 * Governance events of a Centrifuge vault and its share token. The pool's hub, which may be on another chain, emits
 * other governance events; they are not read. Source: centrifuge/protocol.
 */
const centrifugeEvents: readonly GovernanceEvent[] = (["address", "shareToken"] as const).flatMap(
  (contract) => [
    ...wardEvents(contract, "user"),
    changeEvent([contract, "strategy", "File(bytes32 indexed what, address data)"], linkTexts(contract)),
  ],
);

/** Vault family of Centrifuge v3. Users call its vaults themselves, not through the Router. */
export const centrifugeFamily: VaultFamily = {
  adapter: centrifuge,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifyCentrifuge, ownShare: true, previews: false }),
  governanceEvents: centrifugeEvents,
};
