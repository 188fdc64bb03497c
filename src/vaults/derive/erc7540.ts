import { parseAbi } from "viem";
import { type Described, describe, read } from "../../chains/read.ts";
import type { Deriver, Subject } from "./derivation.ts";
import { ANYBODY, notOf } from "./marks.ts";
import { type Mark, standardDeriver } from "./standard.ts";

const viewsAbi = parseAbi([
  "function isTotalAssetsValid() view returns (bool)",
  "function isOperator(address controller, address operator) view returns (bool)",
  "function isPermissioned(address controller) view returns (bool)",
  "function previewDeposit(uint256) view returns (uint256)",
]);

const on = ({ address }: Subject) => ({ to: address, abi: viewsAbi }) as const;

function markLagoon(subject: Subject): Described<Mark> {
  const valid = read({ ...on(subject), name: "isTotalAssetsValid" });
  return describe(
    { valid },
    ({ valid: told }): Mark =>
      told.ok
        ? { ok: true, caller: "user", params: subject.params }
        : notOf("Lagoon", "it has no isTotalAssetsValid()"),
  );
}

/** The kind that mints at once previews it; the other reverts. */
function markCentrifuge(subject: Subject): Described<Mark> {
  const reads = {
    operator: read({ ...on(subject), name: "isOperator", args: [ANYBODY, ANYBODY] }),
    permitted: read({ ...on(subject), name: "isPermissioned", args: [ANYBODY] }),
    preview: read({ ...on(subject), name: "previewDeposit", args: [1n] }),
  };
  return describe(reads, ({ operator, permitted, preview }): Mark => {
    if (!operator.ok || !permitted.ok)
      return notOf("Centrifuge", "it has no isOperator() and isPermissioned()");
    const deposit = preview.ok ? "sync" : "async";
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
