import type { ProofChange } from "../db/queries/vault-proof-queries.ts";
import type { VaultRow } from "../db/queries/vault-queries.ts";
import type { VaultProof } from "../db/tables/vault-tables.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";

/**
 * Why a vault that takes deposits counts as closed. `stopped`: its views say that withdrawals are paused, its
 * redemption requests revert, or the error of the simulated redemption names a pause, an outdated price or, for a
 * generic ERC-4626 vault, a lack of liquidity. `illiquid`: that error shows that the contracts of another family lack
 * liquidity.
 */
export type ClosedExit = "stopped" | "illiquid";

/**
 * Result of one attempt to prove a vault. `passed`: the simulated deposit or deposit request succeeded, and shares that
 * were minted immediately have the expected value and a way back. `refused`: the chain contradicts the entry, the vault
 * rejects deposits, the shares are worth or return too little, a fee is too high, nobody can leave, nothing vouches for
 * a discovered vault any longer, or the operator's settings exclude it. `closed`: the vault's view functions or the
 * error of the simulated deposit or redemption show that it is paused, full, illiquid or without a current price, or no
 * simulation can give an account its asset, which is not a fault of the entry; `exit` is set if it takes deposits but
 * nobody can leave. `unread`: a node or the database failed, or no node can simulate.
 */
export type ProofFinding =
  | { kind: "passed" | "refused" | "closed"; proof: VaultProof; exit?: ClosedExit }
  | { kind: "unread"; reason: string };

/** Fields of a registry entry that decide what a proof changes. */
type ProvenEntry = Pick<
  VaultRow,
  "address" | "status" | "statusBy" | "statusReason" | "provenance" | "proofRefusals"
>;

/** Result of the admission gate for a discovered or imported vault: why it may not open, or null if it may. */
export interface Admission {
  obstacle: string | null;
}

/**
 * Number of consecutive refusals after which an active vault is paused; the second and third attempt follow 5 and 30
 * minutes after the first.
 */
const REFUSALS_BEFORE_PAUSE = 3;
/**
 * Pause between a refusal of an active vault and the next attempt, in milliseconds, by the number of refusals so far.
 */
const RETRY_MS: readonly number[] = [5 * MINUTE_MS, 25 * MINUTE_MS];
/** Pause before the next attempt after a node or the database failed, in milliseconds. */
const UNREAD_RETRY_MS = 10 * MINUTE_MS;
/**
 * Pause before the next attempt for a vault that is closed by its own views, or that a proof refused while it is paused
 * or by which it was paused, in milliseconds.
 */
const CLOSED_RETRY_MS = HOUR_MS;
/** Number of consecutive hourly proofs that find an active vault illiquid before it is paused: a day of them. */
const ILLIQUID_BEFORE_PAUSE = 25;
/** Pause before the next attempt for a candidate that its proof refused, in milliseconds. */
const REFUSED_RETRY_MS = 6 * HOUR_MS;
/** Pause before the next attempt for a vault that only the admission gate holds back, in milliseconds. */
const HELD_RETRY_MS = 7 * DAY_MS;
/** Minimum and maximum time between two passed proofs of a vault, in milliseconds; the vault's address decides. */
const RENEWAL_MS = { least: 20 * HOUR_MS, most: DAY_MS } as const;

/**
 * Returns the new status of a registry entry after a proof, and the time of the next proof.
 * - A passed proof opens reviewed candidates (also refused ones) and vaults that a proof paused. A discovered or
 *   imported candidate opens only if `admission` has no obstacle.
 * - A refusal makes a candidate `refused`; the third consecutive refusal pauses an active vault.
 * - A closed or unread vault keeps its status, as does a vault that an administrator paused or excluded. But an active
 *   vault that nobody can leave is paused, since its deposits still succeed: if its redemptions are stopped, that
 *   counts as a refusal; if it is illiquid, it is paused by the 25th consecutive hourly proof.
 * The next proof is due after 20 to 24 hours (passed), seven days (held back by admission), an hour (closed; illiquid;
 * refused while paused; paused by this refusal), 10 minutes (unread), 5 and then 25 minutes (first and second refusal
 * of an active vault) or six hours (other refusals). Proofs that find a vault illiquid are counted in the same number
 * as refusals (`proofRefusals`); a passed or another closed proof resets it. `now` is in milliseconds since the epoch.
 */
export function decideAfterProof(
  entry: ProvenEntry,
  { finding, admission = null, now }: { finding: ProofFinding; admission?: Admission | null; now: number },
): Omit<ProofChange, "derived"> {
  const { status, statusBy, statusReason } = entry;
  const kept = { status, statusBy, statusReason };
  const due = (afterMs: number): Date => new Date(now + afterMs);
  switch (finding.kind) {
    case "unread":
      return {
        ...kept,
        proof: null,
        proofDueAt: due(UNREAD_RETRY_MS),
        proofRefusals: entry.proofRefusals,
      };
    case "closed":
      if (finding.exit !== undefined && isOpenByProof(entry)) return exitChange(entry, { finding, now });
      return { ...kept, proof: finding.proof, proofDueAt: due(CLOSED_RETRY_MS), proofRefusals: 0 };
    case "passed": {
      const held = isCandidate(entry) && !isReviewed(entry) && admission?.obstacle !== null;
      return {
        ...(held ? heldChange(admission) : mayActivate(entry) ? OPEN : kept),
        proof: finding.proof,
        proofDueAt: due(held ? HELD_RETRY_MS : renewalMs(entry.address)),
        proofRefusals: 0,
      };
    }
    case "refused":
      return { ...refusalChange(entry, finding.proof.reason), proof: finding.proof, ...retry(entry, now) };
  }
}

const OPEN = { status: "active", statusBy: "proof", statusReason: "" } as const;

/** Returns true for entries that people have reviewed, which open by their proof alone. */
export const isReviewed = ({ provenance }: Pick<ProvenEntry, "provenance">): boolean =>
  provenance.source === "seed" || provenance.source === "operator";

/**
 * Returns true for entries with the status `candidate` or `refused`: new ones, ones that a proof refused, and ones that
 * an administrator sent back. A passed proof opens those that people have reviewed, and others only if the admission
 * gate lets them pass.
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

/** Returns the change of an open vault that takes deposits although nobody can leave. */
function exitChange(
  entry: ProvenEntry,
  of: { finding: Extract<ProofFinding, { proof: VaultProof }>; now: number },
): Omit<ProofChange, "derived"> {
  const { finding, now } = of;
  const { proof } = finding;
  if (finding.exit === "stopped" || entry.status !== "active")
    return { ...refusalChange(entry, proof.reason), proof, ...retry(entry, now) };
  const { status, statusBy, statusReason } = entry;
  const proofRefusals = entry.proofRefusals + 1;
  const change =
    proofRefusals < ILLIQUID_BEFORE_PAUSE
      ? { status, statusBy, statusReason }
      : ({ status: "paused", statusBy: "proof", statusReason: proof.reason } as const);
  return { ...change, proof, proofDueAt: new Date(now + CLOSED_RETRY_MS), proofRefusals };
}

function refusalChange(
  entry: ProvenEntry,
  reason: string,
): Pick<ProofChange, "status" | "statusBy" | "statusReason"> {
  const { status, statusBy, statusReason, proofRefusals } = entry;
  if (status === "candidate" || status === "refused")
    return { status: "refused", statusBy: "proof", statusReason: reason };
  if (status === "active" && proofRefusals + 1 >= REFUSALS_BEFORE_PAUSE)
    return { status: "paused", statusBy: "proof", statusReason: reason };
  if (status === "paused" && statusBy === "proof") return { status, statusBy, statusReason: reason };
  return { status, statusBy, statusReason };
}

function retry(
  { status, proofRefusals }: ProvenEntry,
  now: number,
): Pick<ProofChange, "proofDueAt" | "proofRefusals"> {
  const active = status === "active" ? (RETRY_MS[proofRefusals] ?? CLOSED_RETRY_MS) : null;
  const waitMs = active ?? (status === "paused" ? CLOSED_RETRY_MS : REFUSED_RETRY_MS);
  return { proofDueAt: new Date(now + waitMs), proofRefusals: proofRefusals + 1 };
}

/**
 * Returns the time to the next proof of a vault that passed, in milliseconds, spread by its address so that the proofs
 * of many vaults do not coincide.
 */
function renewalMs(address: string): number {
  const share = Number.parseInt(address.slice(-4), 16) / 0xffff;
  return Math.floor(RENEWAL_MS.least + share * (RENEWAL_MS.most - RENEWAL_MS.least));
}
