import { parseAbi } from "viem";
import { type Described, describe, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { Refusal, TermsRequest } from "../adapter.ts";
import type { Vault } from "../vault.ts";
import { generationOf } from "./veda-params.ts";

const tellerAbi = once(() =>
  parseAbi([
    "function shareLockPeriod() view returns (uint64)",
    "function permissionedTransfers() view returns (bool)",
    "function fromDenyList(address) view returns (bool)",
    "function toDenyList(address) view returns (bool)",
    "function operatorDenyList(address) view returns (bool)",
    "function beforeTransferData(address) view returns (bool denyFrom, bool denyTo, bool denyOperator, bool permissionedOperator, uint256 shareUnlockTime)",
  ]),
);

/**
 * Why a teller's shares would not be the user's to hold and to move: they are minted to the caller, and what is locked
 * or moved by few alone cannot be passed on by the Router's clone; the first generation locks them for the block at
 * least. Whom the older ones deny may be minted shares, and could never move them. What a teller does not have does
 * not answer.
 */
export function vedaAdmission(vault: Vault, request: TermsRequest): Described<Refusal | null> {
  const teller = { to: vault.entryPoint, abi: tellerAbi() } as const;
  const ofHolder = { ...teller, args: [request.caller ?? request.receiver] } as const;
  return describe(
    {
      lock: read({ ...teller, name: "shareLockPeriod" }),
      few: read({ ...teller, name: "permissionedTransfers" }),
      denied: read({ ...ofHolder, name: "beforeTransferData" }),
      deniedFrom: read({ ...ofHolder, name: "fromDenyList" }),
      deniedTo: read({ ...ofHolder, name: "toDenyList" }),
      deniedOperator: read({ ...ofHolder, name: "operatorDenyList" }),
    },
    ({ lock, few, denied, ...lists }): Refusal | null => {
      const forwarded = request.caller === null;
      const locked = generationOf(vault) === "a" || (valueOrNull(lock) ?? 0n) > 0n;
      if (forwarded && locked) return "share_locked";
      const [from, to, operator] = valueOrNull(denied) ?? [false, false, false];
      const listed = Object.values(lists).some((list) => valueOrNull(list) === true);
      const shut = from || to || operator || listed || (forwarded && valueOrNull(few) === true);
      return shut ? "not_allowed" : null;
    },
  );
}
