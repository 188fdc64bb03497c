import { type Address, encodeFunctionData, erc20Abi, type Hex, isAddressEqual } from "viem";
import { adapterOf } from "../../../src/vaults/families/vault-families.ts";
import { vaultOf } from "../conformance/vaults/deposit.ts";
import type { Random } from "../flows/random.ts";
import { found, type Holder } from "./holder.ts";

/** Selector of `redeem(uint256,address,address)`, which spends an allowance of the owner's shares. */
const REDEEM_SELECTOR = "0xba087652";
/** Families in whose claims the first account is not the one that is paid, but the one whose request it is. */
const CLAIMS_BY_ACCOUNT = ["mellow_lrt", "upshift", "upshift_legacy", "veda"];

/** What an account does for another one. */
interface ForOther {
  holder: Holder;
  other: Holder;
}

/**
 * Deposits for the other account, or has it paid for this one's shares or request, at random. Returns what was done and,
 * in the asset's smallest unit, what one wallet paid for the other or received for it.
 */
export async function actForOther(both: ForOther, random: Random): Promise<{ did: string; given: bigint }> {
  const { holder, other } = both;
  const [own, others, held] = [holder.held("asset"), other.held("asset"), holder.held("share")];
  const before = { own: await own, others: await others };
  const shares = ((await held) * BigInt(1 + random.below(50))) / 100n;
  const amount = 1n + BigInt(random.below(50_000_000));
  const choice = random.below(4);
  if (choice === 0) {
    const did = before.own >= amount && (await depositFor(both, amount));
    return { did: `deposits ${amount}: ${did}`, given: before.own - (await holder.held("asset")) };
  }
  const spends = choice === 1;
  const did =
    choice < 3
      ? `redeems ${shares}${spends ? " by it" : ""}: ${shares > 0n && (await redeemTo(both, { shares, spends }))}`
      : `claims ${await claimDue(both)}`;
  return { did, given: (await other.held("asset")) - before.others };
}

/**
 * Sends shares to the other account, all but one or all of them too, and has some or all of them sent back at random, or
 * sends them to itself. Returns what was done, and the shares that the other account keeps.
 */
export async function sendShares(both: ForOther, random: Random): Promise<{ did: string; kept: bigint }> {
  const { holder, other } = both;
  const held = await holder.held("share");
  if (held < 10n) return { did: "nothing", kept: 0n };
  const sent = random.pick([held / 10n, held / 10n, held - 1n, held]);
  if (random.once(6)) {
    await holder.transfer(holder.address, sent);
    return { did: `${sent} to itself`, kept: 0n };
  }
  await holder.transfer(other.address, sent);
  const back = random.pick([0n, 0n, sent / 2n, sent]);
  if (back > 0n) await other.transfer(holder.address, back);
  return { did: `${sent}, ${back} back`, kept: sent - back };
}

/** Claims the first claimable request for the other account. Returns its id, or null if there is none. */
async function claimDue(both: ForOther): Promise<string | null> {
  const requests = (await both.holder.position())?.requests ?? [];
  const due = requests.find(({ state }) => state === "claimable")?.request_id ?? null;
  return due !== null && (await claimTo(both, due)) ? due : null;
}

const approve = ({ holder }: ForOther, of: { token: Address; spender: Address; amount: bigint }) => {
  const args = [of.spender, of.amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  return holder.placed.world.send(holder.address, { to: of.token, data });
};

/** Deposits for the other account by the vault's own call. Returns false, and does nothing, if the call cannot. */
async function depositFor(both: ForOther, amount: bigint): Promise<boolean> {
  const { holder, other } = both;
  const vault = await vaultOf(holder.placed);
  const input = { token: vault.asset, amount, caller: holder.address, receiver: other.address };
  const call = adapterOf(vault).encode(vault, { ...input, minShares: 0n, async: false });
  if (call.async || call.sharesTo !== "receiver") return false;
  await approve(both, { token: vault.asset.address, spender: call.spender, amount });
  await holder.placed.world.send(holder.address, { to: call.target, data: call.data });
  return true;
}

/**
 * Redeems shares at once, and has the other account paid. If `spends`, the other one makes the call with an allowance.
 * Returns false, and does nothing, if the call cannot.
 */
async function redeemTo(both: ForOther, { shares, spends }: { shares: bigint; spends: boolean }) {
  const { holder, other } = both;
  const vault = await vaultOf(holder.placed);
  const { exits } = adapterOf(vault);
  const [token] = exits?.modes(vault).includes("instant") ? (exits?.tokens(vault, "instant") ?? []) : [];
  if (exits === undefined || token === undefined || !isAddressEqual(token.address, vault.asset.address))
    return false;
  // What such a vault queues is the other account's.
  if (exits.redeemQueues === true || vault.params["exit"] === "yo") return false;
  const input = { mode: "instant", shares, token, owner: holder.address, caller: holder.address } as const;
  const call = exits.encode(vault, { ...input, receiver: other.address, minAssets: 0n, slippage: 0.005 });
  if (spends && !call.data.startsWith(REDEEM_SELECTOR)) return false;
  const spender = spends ? other.address : call.spender;
  if (spender !== null) await approve(both, { token: vault.shareToken, spender, amount: shares });
  const from = spends ? other.address : holder.address;
  // The vault may be short, or take requests only.
  return sends(both, { from, to: call.target, data: call.data });
}

/** Claims a request, and has the other account paid. Returns false, and does nothing, if the claim cannot. */
async function claimTo(both: ForOther, requestId: string): Promise<boolean> {
  const { holder, other } = both;
  if (CLAIMS_BY_ACCOUNT.includes((await vaultOf(holder.placed)).adapter)) return false;
  const answer = await holder.askAbout("claim", requestId);
  if (answer.status !== 200) return false;
  const { to, data } = found(answer)["transaction_request"] as { to: Address; data: Hex };
  // The receiver comes before the account whose request it is.
  const [own, others] = [holder, other].map(({ address }) => address.slice(2).toLowerCase());
  const changed = data.toLowerCase().replace(own ?? "", others ?? "") as Hex;
  return sends(both, { from: holder.address, to, data: changed });
}

async function sends(
  { holder }: ForOther,
  call: { from: Address; to: Address; data: Hex },
): Promise<boolean> {
  const { from, ...rest } = call;
  const { client } = holder.placed.world;
  const passes = await client.call({ account: from, ...rest }).then(
    () => true,
    () => false,
  );
  if (passes) await holder.placed.world.send(from, rest);
  return passes;
}
