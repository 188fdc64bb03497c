import { type Address, isAddressEqual, parseAbi, zeroAddress } from "viem";
import { runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { createQuery, queryAll, read, valueOrNull } from "../chains/chain-reads.ts";
import { readContractCode } from "../chains/code-at-block.ts";
import { once } from "../lib/once.ts";
import { findFamily } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";

/** Governance of a vault: which of its governing accounts are externally owned, and the timelock of its changes. */
export interface VaultGovernance {
  /**
   * Those of the vault's owner, curator, governor admin, role manager and management, as far as it has them, that are
   * externally owned accounts: without code, or with an EIP-7702 delegation. "unread" if no view function could be read
   * for a role that the family's vaults have.
   */
  keys: readonly Address[] | "unread";
  /** Timelock of changes in seconds, null if none is read for the family, or "unread" if it is unknown. */
  timelockS: bigint | null | "unread";
}

const rolesAbi = once(() =>
  parseAbi([
    "function owner() view returns (address)",
    "function curator() view returns (address)",
    "function governorAdmin() view returns (address)",
    "function role_manager() view returns (address)",
    "function management() view returns (address)",
  ]),
);
/** Prefix of the code of an externally owned account with an EIP-7702 delegation; its key can still sign. */
const DELEGATED = "0xef0100";

/**
 * Reads which externally owned accounts govern a vault, by five view functions of its own contract (`owner`, `curator`,
 * `governorAdmin`, `role_manager`, `management`), and the timelock of its changes. Errors of the chain client
 * propagate.
 */
export async function readGovernance(client: ChainClient, vault: Vault): Promise<VaultGovernance> {
  const on = { to: vault.address, abi: rolesAbi() } as const;
  const { roleViews = [], timelockQuery } = findFamily(vault.adapter) ?? {};
  const roles = createQuery(
    {
      owner: read({ ...on, name: "owner" }),
      curator: read({ ...on, name: "curator" }),
      governorAdmin: read({ ...on, name: "governorAdmin" }),
      role_manager: read({ ...on, name: "role_manager" }),
      management: read({ ...on, name: "management" }),
    },
    (results) => {
      const complete = roleViews.every((group) => group.some((view) => results[view].ok));
      return complete ? Object.values(results).flatMap((result) => valueOrNull(result) ?? []) : null;
    },
  );
  const timelock = timelockQuery?.(vault) ?? createQuery({}, (): bigint | null => null);
  const { value } = await runQuery(client, queryAll({ roles, timelock }));
  const timelockS = timelockQuery === undefined ? null : (value.timelock ?? "unread");
  if (value.roles === null) return { keys: "unread", timelockS };
  const holders = [...new Set(value.roles)].filter((holder) => !isAddressEqual(holder, zeroAddress));
  const codes = await Promise.all(holders.map((holder) => readContractCode(client, holder)));
  const isKey = (code: string | undefined) => code === "0x" || code?.startsWith(DELEGATED) === true;
  return { keys: holders.filter((_, index) => isKey(codes[index])), timelockS };
}
