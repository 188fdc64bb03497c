import { type Address, keccak256, parseAbi, toHex } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  valueOrNull,
} from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { TermsInput } from "../../vault-adapter.ts";
import {
  type ExitRefusal,
  type ExitTerms,
  type ExitTermsInput,
  type PendingExit,
  unknownPendingExit,
} from "../../vault-exits.ts";
import type { FamilyViews } from "./erc4626-variant-views.ts";

/** ABI of a vault with a cooldown. Source: ethena-labs, StakedUSDeV2. */
export const cooldownAbi = once(() =>
  parseAbi([
    "function cooldownDuration() view returns (uint24)",
    "function cooldowns(address) view returns (uint104 cooldownEnd, uint152 underlyingAmount)",
    "function cooldownShares(uint256 shares) returns (uint256 assets)",
    "function cooldownShares(uint256 shares, address owner) returns (uint256 assets)",
    "function unstake(address receiver)",
    "function hasRole(bytes32 role, address account) view returns (bool)",
  ]),
);

/**
 * Roles of restricted accounts: one of them may not deposit, the other neither receive, send nor redeem shares. The
 * contract reverts for both as for a mode that is off. Source: ethena-labs, StakedUSDe.
 */
const RESTRICTED = once(() => ({
  softly: keccak256(toHex("SOFT_RESTRICTED_STAKER_ROLE")),
  fully: keccak256(toHex("FULL_RESTRICTED_STAKER_ROLE")),
}));

const restrictionRead = (vault: Vault, of: { role: keyof ReturnType<typeof RESTRICTED>; account: Address }) =>
  read({
    ...{ to: vault.entryPoint, abi: cooldownAbi(), name: "hasRole" },
    args: [RESTRICTED()[of.role], of.account],
  });

/** Returns a query for whether a vault with a cooldown refuses deposits for the receiver; unknown counts as no. */
export function cooldownDepositViews(
  vault: Vault,
  { receiver: account }: Pick<TermsInput, "receiver">,
): Query<FamilyViews> {
  const reads = {
    softly: restrictionRead(vault, { role: "softly", account }),
    fully: restrictionRead(vault, { role: "fully", account }),
  };
  return createQuery(reads, ({ softly, fully }) => {
    const restricted = [softly, fully].some((role) => valueOrNull(role) === true);
    return { refusal: restricted ? "not_allowed" : null };
  });
}

/**
 * Returns a query for the conditions of a redemption from a vault with a cooldown. Instant redemptions are refused
 * while the cooldown is set, whatever `maxRedeem` returns. Cooldowns are refused while it is zero or unknown, or while
 * one of the owner's is open. Neither is allowed to a fully restricted owner. `ordinary`: the conditions without a
 * cooldown.
 */
export function cooldownTerms(
  vault: Vault,
  { request, ordinary }: { request: ExitTermsInput; ordinary: Query<ExitTerms> },
): Query<ExitTerms> {
  const on = { to: vault.entryPoint, abi: cooldownAbi() } as const;
  const own = createQuery(
    {
      duration: read({ ...on, name: "cooldownDuration" }),
      open: read({ ...on, name: "cooldowns", args: [request.owner] }),
      restricted: restrictionRead(vault, { role: "fully", account: request.owner }),
    },
    ({ duration, open, restricted }) => ({
      seconds: valueOrNull(duration),
      cooling: (valueOrNull(open)?.[1] ?? 0n) > 0n,
      barred: valueOrNull(restricted) === true ? ("not_allowed" as const) : null,
    }),
  );
  return mapQuery(queryAll({ base: ordinary, own }), ({ base, own: { seconds, cooling, barred } }) => {
    const set = seconds !== null && seconds > 0;
    if (request.mode === "instant")
      return { ...base, refusal: barred ?? (set ? ("mode_unsupported" as const) : base.refusal) };
    // A second cooldown would restart the wait for the whole amount.
    const refusal: ExitRefusal | null = set ? (cooling ? "request_pending" : null) : "mode_unsupported";
    const earliest = seconds === null ? null : Math.floor(request.now / 1_000) + seconds;
    const limits = { maxShares: base.heldShares, availableAssets: null };
    return { ...base, ...limits, earliest, refusal: barred ?? refusal };
  });
}

/** Returns a query for a user's open cooldown; null if it cannot be read. `now` is in unix milliseconds. */
export function coolingShares(
  vault: Vault,
  { user, now }: { user: Address; now: number },
): Query<readonly PendingExit[] | null> {
  const on = { to: vault.entryPoint, abi: cooldownAbi() } as const;
  return createQuery(
    {
      open: read({ ...on, name: "cooldowns", args: [user] }),
      duration: read({ ...on, name: "cooldownDuration" }),
    },
    ({ open, duration }) => {
      if (!open.ok) return null;
      const [end, assets] = open.value;
      if (assets === 0n) return [];
      const seconds = valueOrNull(duration);
      const earliest = Number(end);
      // Without a cooldown the contract pays what is cooling immediately.
      const ready = now >= earliest * 1_000 || seconds === 0;
      return [
        {
          ...unknownPendingExit,
          ...{
            mode: "cooldown",
            assets,
            priced: true,
            token: vault.asset.address,
            earliest,
            bookedOut: true,
            bookedAt: startOf(earliest, { seconds, now }),
          },
          state: ready ? "claimable" : "pending",
          claimableAssets: ready ? assets : 0n,
        },
      ];
    },
  );
}

/**
 * Returns when a cooldown that ends at `end` started if it has the current duration, in unix seconds. Null if the
 * duration is unknown, or if the start would be in the future, so that the cooldown had a longer one.
 */
function startOf(end: number, { seconds, now }: { seconds: number | null; now: number }): number | null {
  return seconds === null || (end - seconds) * 1_000 > now ? null : end - seconds;
}
