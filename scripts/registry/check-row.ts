import { type Address, type Hex, isAddressEqual, slice } from "viem";
import { z } from "zod";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { deriveFromChain } from "../../src/registry/derive-registry-vault.ts";
import { recognizeFamily } from "../../src/registry/recognize-registry-family.ts";
import { deriverOf } from "../../src/vaults/families/vault-families.ts";
import type { Derivation, DerivedVault } from "../../src/vaults/vault-deriver.ts";
import { type DerivationSubject, subjectOfRow } from "../../src/vaults/vault-deriver.ts";
import { differencesOf } from "./differences.ts";
import { codeAt } from "./registry-chain.ts";
import type { ReportedRow } from "./report-table.ts";

/** A registry row and the result of its comparison with the chain. */
export interface CheckedRow {
  row: ReportedRow;
  /**
   * `right`: row and chain agree. `derived`: a row that is not open and can be derived from the chain completely.
   * `wrong`: the chain contradicts an open or paused row. `unknown`: the chain does not provide enough for a row that
   * is not open.
   */
  verdict: "right" | "derived" | "wrong" | "unknown";
  /** Descriptions of the contradictions or of the missing data. */
  detail: string;
  /** Adapter and vault as derived from the chain; null when they could not be derived. */
  found: { adapter: string; vault: DerivedVault } | null;
}

/** Storage slot of a proxy's implementation. Source: EIP-1967. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const Word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => `0x${text.slice(2).padStart(64, "0")}` as Hex);

/** Compares a registry row with its chain. Errors of the chain client propagate. */
export async function checkRow(client: ChainClient, row: ReportedRow): Promise<CheckedRow> {
  const subject = subjectOfRow(row);
  const supported = row.status === "active" || row.status === "paused";
  const adapter = supported ? row.adapter : ((await recognizeFamily(client, subject)) ?? row.adapter);
  const derivation = await derive(client, { adapter, subject });
  if (!derivation.ok) {
    const verdict = supported ? "wrong" : "unknown";
    return { row, verdict, detail: derivation.reason, found: null };
  }
  const found = { adapter, vault: derivation.vault };
  const differences = differencesOf(row, found);
  if (!supported) return { row, verdict: "derived", detail: differences.join("; "), found };
  const verdict = differences.length === 0 ? "right" : "wrong";
  return { row, verdict, detail: differences.join("; "), found };
}

async function derive(
  client: ChainClient,
  of: { adapter: string; subject: DerivationSubject },
): Promise<Derivation> {
  const refuse = (reason: string): Derivation => ({ ok: false, reason });
  if (deriverOf(of.adapter) === null) return refuse(`there is no adapter ${of.adapter}`);
  const problem = await problemOfCode(client, of.subject.address);
  return problem === null ? deriveFromChain(client, of) : refuse(problem);
}

/** Returns the reason why an address, or the implementation of a proxy there, has no code. Null if it has code. */
async function problemOfCode(client: ChainClient, address: Address): Promise<string | null> {
  if ((await codeAt(client, address)) === "0x") return "there is no contract at its address";
  const stored = Word.parse(
    await client.request("eth_getStorageAt", [address, IMPLEMENTATION_SLOT, "latest"]),
  );
  const implementation = slice(stored, 12);
  if (isAddressEqual(implementation, `0x${"0".repeat(40)}`)) return null;
  const empty = (await codeAt(client, implementation)) === "0x";
  return empty ? "it is a proxy to an address without code" : null;
}
