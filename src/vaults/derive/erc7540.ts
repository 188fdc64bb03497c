import { parseAbi } from "viem";
import { createQuery, type Query, read } from "../../chains/query.ts";
import { once } from "../../lib/once.ts";
import type { DerivationSubject, Deriver } from "../derivation.ts";
import {
  erc4626Deriver,
  type Identification,
  notIdentified,
  ORDINARY_ACCOUNT,
} from "../families/erc4626/derive.ts";

const identificationAbi = once(() =>
  parseAbi([
    "function isTotalAssetsValid() view returns (bool)",
    "function pendingSilo() view returns (address)",
    "function isWhitelistActivated() view returns (bool)",
    "function isOperator(address controller, address operator) view returns (bool)",
    "function isPermissioned(address controller) view returns (bool)",
    "function vaultKind() view returns (uint8)",
  ]),
);

const onSubject = ({ address }: DerivationSubject) => ({ to: address, abi: identificationAbi() }) as const;

/** Of v0.5 and newer by its valuation; of v0.4 and older, which take requests alone, by its silo and its list. */
function identifyLagoon(subject: DerivationSubject): Query<Identification> {
  const reads = {
    valid: read({ ...onSubject(subject), name: "isTotalAssetsValid" }),
    silo: read({ ...onSubject(subject), name: "pendingSilo" }),
    listed: read({ ...onSubject(subject), name: "isWhitelistActivated" }),
  };
  return createQuery(reads, ({ valid, silo, listed }): Identification => {
    if (valid.ok || (silo.ok && listed.ok)) return { ok: true, caller: "user", params: subject.params };
    return notIdentified(
      "Lagoon",
      "it has neither isTotalAssetsValid() nor pendingSilo() and isWhitelistActivated()",
    );
  });
}

/** Of Centrifuge's kinds of vaults: the one that takes requests, and the one that mints at once. */
const DEPOSIT_KINDS: Readonly<Record<number, string>> = { 0: "async", 2: "sync" };

function identifyCentrifuge(subject: DerivationSubject): Query<Identification> {
  const reads = {
    operator: read({ ...onSubject(subject), name: "isOperator", args: [ORDINARY_ACCOUNT, ORDINARY_ACCOUNT] }),
    permitted: read({ ...onSubject(subject), name: "isPermissioned", args: [ORDINARY_ACCOUNT] }),
    kind: read({ ...onSubject(subject), name: "vaultKind" }),
  };
  return createQuery(reads, ({ operator, permitted, kind }): Identification => {
    if (!operator.ok || !permitted.ok)
      return notIdentified("Centrifuge", "it has no isOperator() and isPermissioned()");
    const deposit = kind.ok ? DEPOSIT_KINDS[kind.value] : undefined;
    if (deposit === undefined) return notIdentified("Centrifuge", "its vaultKind() is none that is known");
    return { ok: true, caller: "user", params: { ...subject.params, deposit } };
  });
}

/** The families of ERC-7540, whose requests users make themselves. Fingerprints: each family's source. */
export const erc7540Derivers: readonly Deriver[] = [
  erc4626Deriver({
    adapter: "lagoon",
    type: "custom",
    ownShare: true,
    previews: false,
    mark: identifyLagoon,
  }),
  erc4626Deriver({
    ...{ adapter: "centrifuge", type: "custom", ownShare: true, previews: false },
    mark: identifyCentrifuge,
  }),
];
