import type { ProofChange } from "../../db/queries/vault-proof-queries.ts";
import type { VaultRow } from "../../db/queries/vault-queries.ts";
import type { VaultProof } from "../../db/tables/vault-tables.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/durations.ts";

/**
 * What keeps an open vault from its users although its views do not show it as paused: `illiquid` if the contracts of a
 * family other than generic ERC-4626 lack liquidity for redemptions; otherwise `stopped`, for example because deposits
 * or withdrawals are paused, or because its views revert.
 */
export type Closure = "stopped" | "illiquid";

/**
 * Result of one attempt to prove a vault. `passed`: a simulated deposit succeeded, and no fault was found. `refused`:
 * the vault's contracts, its entry or the settings rule it out, or an unexpected error occurred. `closed`: it cannot be
 * proven now, as when it is paused or full; with `closure`, an open vault is paused if that lasts. `unread`: it could not
 * be examined.
 */
export type ProofFinding =
  | { kind: "passed" | "refused" | "closed"; proof: VaultProof; closure?: Closure }
  | { kind: "unread"; reason: string };

/** Fields of a registry entry that decide what a proof changes. */
type ProvenEntry = Pick<
  VaultRow,
  "address" | "status" | "statusBy" | "statusReason" | "provenance" | "proof" | "proofRefusals"
>;

/** Result of the admission gate for a discovered or imported vault: why it may not open, or null if it may. */
export interface Admission {
  obstacle: string | null;
}

/** Minimum number of consecutive refusals by which an active vault is paused. */
const REFUSALS_BEFORE_PAUSE = 3;
/**
 * Times after the first refusal of an active vault at which it is proven again, in milliseconds; a refusal that stands
 * at the last of them pauses the vault.
 */
const STANDING_MS: readonly number[] = [5 * MINUTE_MS, 30 * MINUTE_MS];
/** Pause before the next attempt if a failing chain has left too few refusals by the last of them, in milliseconds. */
const LATE_RETRY_MS = 25 * MINUTE_MS;
/**
 * Pause before the next attempt after a node or the database failed, in milliseconds. A discovered or imported candidate,
 * which anyone may have made so that nodes fail, waits as a refused one.
 */
const UNREAD_RETRY_MS = 10 * MINUTE_MS;
/**
 * Pause before the next attempt for a vault that the last proof found closed, that it refused although it was paused
 * already, or that it paused, in milliseconds. A discovered or imported candidate that its contract keeps closed
 * (`closure`) waits as a refused one.
 */
const CLOSED_RETRY_MS = HOUR_MS;
/** Time after the first proof that found an active vault illiquid from which another one pauses it, in milliseconds. */
const ILLIQUID_BEFORE_PAUSE_MS = DAY_MS;
/** Minimum number of proofs that find an active vault illiquid before it is paused. */
const ILLIQUID_PROOFS = 3;
/** Time for which a refusal or illiquid proof counts, from the last one on, while a vault is closed, in milliseconds. */
const COUNTS_FOR_MS = 3 * DAY_MS;
/** Pause before the next attempt for a candidate that its proof refused, in milliseconds. */
const REFUSED_RETRY_MS = 6 * HOUR_MS;
/** Pause before the next attempt for a vault that only the admission gate holds back, in milliseconds. */
const HELD_RETRY_MS = 7 * DAY_MS;
/** Minimum and maximum time between two passed proofs of a vault, in milliseconds; the vault's address decides. */
const RENEWAL_MS = { least: 20 * HOUR_MS, most: DAY_MS } as const;

/**
 * Returns what a proof changes in an entry. A passed one opens candidates (discovered or imported ones only with an
 * `admission` without obstacle) and vaults that a proof paused; repeated refusals or `closure` findings pause active
 * ones. `now` is in UNIX milliseconds; `byAdmin` is true if an administrator asked for the proof.
 */
export function decideAfterProof(
  entry: ProvenEntry,
  of: { finding: ProofFinding; admission?: Admission | null; now: number; byAdmin?: boolean },
): Omit<ProofChange, "derived"> {
  const { finding, admission = null, now, byAdmin = false } = of;
  const { status, statusBy, statusReason } = entry;
  const kept = { status, statusBy, statusReason };
  const due = (afterMs: number): Date => new Date(now + afterMs);
  const isUnasked = isCandidate(entry) && !isReviewed(entry);
  switch (finding.kind) {
    case "unread":
      return {
        ...kept,
        proof: null,
        proofDueAt: due(isUnasked ? REFUSED_RETRY_MS : UNREAD_RETRY_MS),
        proofRefusals: entry.proofRefusals,
      };
    case "closed":
      if (finding.closure !== undefined && isOpenByProof(entry))
        return closureChange(entry, { finding, now, byAdmin });
      // Deposits may be closed for just the minute of the proof, so this neither counts nor resets what stands.
      return {
        ...kept,
        proof: { ...finding.proof, ...standing(entry, now) },
        proofRefusals: entry.proofRefusals,
        proofDueAt: due(isUnasked && finding.closure !== undefined ? REFUSED_RETRY_MS : CLOSED_RETRY_MS),
      };
    case "passed": {
      const held = isUnasked && admission?.obstacle !== null;
      return {
        ...(held ? heldChange(admission) : mayActivate(entry) ? openedFor(entry) : kept),
        proof: finding.proof,
        proofDueAt: due(held ? HELD_RETRY_MS : renewalMs(entry.address)),
        proofRefusals: 0,
      };
    }
    case "refused":
      return refusalChange(entry, { proof: finding.proof, now, byAdmin });
  }
}

/** Returns true if proofs paused what an administrator had opened. */
const isPausedForAdmin = ({ status, proof }: Pick<ProvenEntry, "status" | "proof">): boolean =>
  status === "paused" && proof?.openedBy === "admin";

/** Returns true if an administrator decided an entry's status, or had opened what proofs paused. */
export const isDecidedByAdmin = (entry: Pick<ProvenEntry, "status" | "statusBy" | "proof">): boolean =>
  entry.statusBy === "admin" || isPausedForAdmin(entry);

/** Returns the change that opens a vault, as an administrator's decision if it was one before proofs paused it. */
const openedFor = (entry: ProvenEntry) =>
  ({ status: "active", statusBy: isPausedForAdmin(entry) ? "admin" : "proof", statusReason: "" }) as const;

/** Returns true for entries that people have reviewed: those of the seed and those that an operator added. */
export const isReviewed = ({ provenance }: Pick<ProvenEntry, "provenance">): boolean =>
  provenance.source === "seed" || provenance.source === "operator";

/**
 * Returns true for entries with the status `candidate` or `refused`: new ones, ones that a proof refused or the
 * admission gate holds back, and ones that an administrator sent back.
 */
export const isCandidate = ({ status }: Pick<ProvenEntry, "status">): boolean =>
  status === "candidate" || status === "refused";

/** Returns true if a passed proof opens the vault, which is not the case if an administrator closed it. */
function mayActivate(entry: ProvenEntry): boolean {
  return isCandidate(entry) || (entry.status === "paused" && entry.statusBy === "proof");
}

function heldChange(admission: Admission | null): Pick<ProofChange, "status" | "statusBy" | "statusReason"> {
  return { status: "candidate", statusBy: "proof", statusReason: admission?.obstacle ?? "not admitted yet" };
}

/** Returns true for vaults that are active, or that a proof (not an administrator) paused. */
const isOpenByProof = ({ status, statusBy }: ProvenEntry): boolean =>
  status === "active" || (status === "paused" && statusBy === "proof");

/** Returns the change of an open vault that is closed to its users although its views do not show it as paused. */
function closureChange(
  entry: ProvenEntry,
  of: { finding: Extract<ProofFinding, { proof: VaultProof }>; now: number; byAdmin: boolean },
): Omit<ProofChange, "derived"> {
  const { finding, now, byAdmin } = of;
  const { proof } = finding;
  if (finding.closure === "stopped" || entry.status !== "active")
    return refusalChange(entry, { proof, now, byAdmin });
  const { status, statusBy, statusReason } = entry;
  const { illiquidSince = proof.at, illiquid: before = 0 } = standing(entry, now);
  const illiquid = before + 1;
  const lasts = now - Date.parse(illiquidSince) >= ILLIQUID_BEFORE_PAUSE_MS && illiquid >= ILLIQUID_PROOFS;
  const change = lasts ? pausedFor(proof.reason) : { status, statusBy, statusReason };
  return {
    ...{ ...change, proof: { ...proof, illiquid, illiquidSince, ...countedNow(entry, { proof, change }) } },
    ...{ proofDueAt: new Date(now + CLOSED_RETRY_MS), proofRefusals: 0 },
  };
}

/** Returns what is recorded of an administrator who had opened a vault that a change pauses. */
const openerOf = (
  entry: ProvenEntry,
  { status }: Pick<ProofChange, "status">,
): Pick<VaultProof, "openedBy"> =>
  status === "paused" && entry.status === "active" && entry.statusBy === "admin" ? { openedBy: "admin" } : {};

/** Returns what is recorded of a refusal or illiquid proof that counts, in addition to its own. */
const countedNow = (
  entry: ProvenEntry,
  { proof, change }: { proof: VaultProof; change: Pick<ProofChange, "status"> },
): Pick<VaultProof, "openedBy" | "countedAt"> => ({ countedAt: proof.at, ...openerOf(entry, change) });

type Standing = Pick<VaultProof, "openedBy" | "countedAt" | "refusedAt" | "illiquid" | "illiquidSince">;

/** Returns what an entry's last proof recorded that stands until one passes, or until it counts no longer. */
function standing({ proof }: ProvenEntry, now: number): Standing {
  const { refusedAt, illiquid, illiquidSince, openedBy, countedAt } = proof ?? {};
  const opener = openedBy === undefined ? {} : { openedBy };
  if (countedAt !== undefined && now - Date.parse(countedAt) > COUNTS_FOR_MS) return opener;
  return {
    ...opener,
    ...(countedAt === undefined ? {} : { countedAt }),
    ...(refusedAt === undefined ? {} : { refusedAt }),
    ...(illiquid === undefined || illiquidSince === undefined ? {} : { illiquid, illiquidSince }),
  };
}

const pausedFor = (statusReason: string) => ({ status: "paused", statusBy: "proof", statusReason }) as const;

/** Returns the change of a vault that a proof refused. */
function refusalChange(
  entry: ProvenEntry,
  { proof, now, byAdmin }: { proof: VaultProof; now: number; byAdmin: boolean },
): Omit<ProofChange, "derived"> {
  const stood = standing(entry, now);
  const { refusedAt = proof.at } = stood;
  // Without the time of a first refusal, the number counts none that stands.
  const proofRefusals = (stood.refusedAt === undefined ? 0 : entry.proofRefusals) + 1;
  const refusals = { count: proofRefusals, ageMs: now - Date.parse(refusedAt), byAdmin };
  const change = statusAfterRefusal(entry, { reason: proof.reason, refusals });
  return {
    ...change,
    proof: { ...proof, ...stood, refusedAt, ...countedNow(entry, { proof, change }) },
    proofDueAt: new Date(now + retryMs(entry, refusals)),
    proofRefusals,
  };
}

/**
 * The refusals of a vault without a passed or illiquid proof in between: their number, the age of the first in
 * milliseconds, and whether an administrator asked for the last proof.
 */
interface Refusals {
  count: number;
  ageMs: number;
  byAdmin: boolean;
}

/** Returns true if the refusals pause an active vault. */
const stands = ({ count, ageMs, byAdmin }: Refusals): boolean =>
  count >= REFUSALS_BEFORE_PAUSE && (byAdmin || STANDING_MS.every((ms) => ageMs >= ms));

function statusAfterRefusal(
  { status, statusBy, statusReason }: ProvenEntry,
  { reason, refusals }: { reason: string; refusals: Refusals },
): Pick<ProofChange, "status" | "statusBy" | "statusReason"> {
  if (isCandidate({ status })) return { status: "refused", statusBy: "proof", statusReason: reason };
  const isPaused = status === "paused" && statusBy === "proof";
  if (isPaused || (status === "active" && stands(refusals))) return pausedFor(reason);
  return { status, statusBy, statusReason };
}

/** Returns the time to the next attempt after a refusal, in milliseconds. */
function retryMs({ status }: ProvenEntry, refusals: Refusals): number {
  if (status !== "active") return status === "paused" ? CLOSED_RETRY_MS : REFUSED_RETRY_MS;
  if (stands(refusals)) return CLOSED_RETRY_MS;
  const next = STANDING_MS.find((ms) => refusals.ageMs < ms);
  return next === undefined ? LATE_RETRY_MS : next - refusals.ageMs;
}

/**
 * Returns the time to the next proof of a vault that passed, in milliseconds, spread by its address so that the proofs
 * of many vaults do not coincide.
 */
function renewalMs(address: string): number {
  const share = Number.parseInt(address.slice(-4), 16) / 0xffff;
  return Math.floor(RENEWAL_MS.least + share * (RENEWAL_MS.most - RENEWAL_MS.least));
}
