import { parseAbi } from "viem";
import { type Described, describe, read } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { Deriver, Subject } from "./derivation.ts";
import { ANYBODY, notOf } from "./marks.ts";
import { type Mark, standardDeriver } from "./standard.ts";

const viewsAbi = once(() =>
  parseAbi([
    "function isTotalAssetsValid() view returns (bool)",
    "function pendingSilo() view returns (address)",
    "function isWhitelistActivated() view returns (bool)",
    "function isOperator(address controller, address operator) view returns (bool)",
    "function isPermissioned(address controller) view returns (bool)",
    "function vaultKind() view returns (uint8)",
  ]),
);

const on = ({ address }: Subject) => ({ to: address, abi: viewsAbi() }) as const;

/** Of v0.5 and newer by its valuation; of v0.4 and older, which take requests alone, by its silo and its list. */
function markLagoon(subject: Subject): Described<Mark> {
  const reads = {
    valid: read({ ...on(subject), name: "isTotalAssetsValid" }),
    silo: read({ ...on(subject), name: "pendingSilo" }),
    listed: read({ ...on(subject), name: "isWhitelistActivated" }),
  };
  return describe(reads, ({ valid, silo, listed }): Mark => {
    if (valid.ok || (silo.ok && listed.ok)) return { ok: true, caller: "user", params: subject.params };
    return notOf(
      "Lagoon",
      "it has neither isTotalAssetsValid() nor pendingSilo() and isWhitelistActivated()",
    );
  });
}

/** Of Centrifuge's kinds of vaults: the one that takes requests, and the one that mints at once. */
const KINDS: Readonly<Record<number, string>> = { 0: "async", 2: "sync" };

function markCentrifuge(subject: Subject): Described<Mark> {
  const reads = {
    operator: read({ ...on(subject), name: "isOperator", args: [ANYBODY, ANYBODY] }),
    permitted: read({ ...on(subject), name: "isPermissioned", args: [ANYBODY] }),
    kind: read({ ...on(subject), name: "vaultKind" }),
  };
  return describe(reads, ({ operator, permitted, kind }): Mark => {
    if (!operator.ok || !permitted.ok)
      return notOf("Centrifuge", "it has no isOperator() and isPermissioned()");
    const deposit = kind.ok ? KINDS[kind.value] : undefined;
    if (deposit === undefined) return notOf("Centrifuge", "its vaultKind() is none that is known");
    return { ok: true, caller: "user", params: { ...subject.params, deposit } };
  });
}

/** The families of ERC-7540, whose requests users make themselves. Fingerprints: each family's source. */
export const erc7540Derivers: readonly Deriver[] = [
  standardDeriver({ adapter: "lagoon", type: "custom", ownShare: true, previews: false, mark: markLagoon }),
  standardDeriver({
    ...{ adapter: "centrifuge", type: "custom", ownShare: true, previews: false },
    mark: markCentrifuge,
  }),
];
