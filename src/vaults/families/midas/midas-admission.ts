import { type Address, keccak256, parseAbi, toHex } from "viem";
import { createQuery, type Query, read, readThen, valueOrNull } from "../../../chains/chain-reads.ts";
import { isNative } from "../../../lib/address.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { Refusal, TermsInput } from "../../vault-adapter.ts";
import { midasMode } from "./midas-params.ts";

const admissionAbi = once(() =>
  parseAbi([
    "function greenlistEnabled() view returns (bool)",
    "function greenlistedRole() view returns (bytes32)",
    "function accessControl() view returns (address)",
    "function sanctionsList() view returns (address)",
    "function hasRole(bytes32 role, address account) view returns (bool)",
    "function isSanctioned(address account) view returns (bool)",
  ]),
);
const blacklistedRole = once(() => keccak256(toHex("BLACKLISTED_ROLE")));

/**
 * Returns a query for why a DepositVault would not admit the receiver: it is blacklisted, sanctioned, or lacks the role
 * that an enabled greenlist requires. What cannot be read counts as no reason. Source: midas-apps/contracts,
 * ManageableVault (`_validateUserAccess`).
 */
export function midasAdmission(
  vault: Vault,
  { caller, receiver }: Pick<TermsInput, "caller" | "receiver">,
): Query<Refusal | null> {
  const on = { to: vault.entryPoint, abi: admissionAbi() } as const;
  const first = {
    greenlist: read({ ...on, name: "greenlistEnabled" }),
    role: read({ ...on, name: "greenlistedRole" }),
    access: read({ ...on, name: "accessControl" }),
    sanctions: read({ ...on, name: "sanctionsList" }),
  };
  // The executor's call without a recipient does not name the receiver, to whom the shares are transferred.
  const isNamed = caller !== null || midasMode(vault).namesRecipient;
  return readThen(first, ({ greenlist, role, access, sanctions }) => {
    const manager = valueOrNull(access);
    const list = valueOrNull(sanctions);
    const listed = isNamed && valueOrNull(greenlist) === true ? valueOrNull(role) : null;
    const hasRole = (to: Address, id: `0x${string}`) =>
      read({ to, abi: admissionAbi(), name: "hasRole", args: [id, receiver] });
    const reads = {
      ...(manager !== null && { barred: hasRole(manager, blacklistedRole()) }),
      ...(manager !== null && listed !== null && { admitted: hasRole(manager, listed) }),
      ...(isNamed &&
        list !== null &&
        !isNative(list) && {
          sanctioned: read({ to: list, abi: admissionAbi(), name: "isSanctioned", args: [receiver] }),
        }),
    };
    return createQuery(reads, ({ barred, admitted, sanctioned }): Refusal | null => {
      const known = [barred, sanctioned].some((one) => one !== undefined && valueOrNull(one) === true);
      return known || (admitted !== undefined && valueOrNull(admitted) === false) ? "not_allowed" : null;
    });
  });
}
