import { useQuery } from "@tanstack/react-query";
import {
  type DepositInput,
  quoteDeposit,
  type VaultDetail,
} from "../../client/operations/read-operations.ts";
import { causeway } from "../api/console-client.ts";
import { useDebounced } from "../ui/use-debounced.ts";
import { useWallet, walletSession } from "../wallet/wallet-session.ts";

/** Burn address, which stands in for the user's account in quotes before a wallet is connected. */
const NOBODY = "0x000000000000000000000000000000000000dEaD";
const [BALANCE_MS, QUOTE_MS] = [20_000, 30_000];

/**
 * A deposit as entered in the form. `amount` is in the token's smallest unit, null while the field is empty or invalid;
 * `slippage` is a fraction.
 */
export interface DepositDraft {
  chainId: number;
  token: `0x${string}`;
  amount: bigint | null;
  slippage: number;
}

/** Returns true for the zero address, which stands for a chain's native currency. It needs no approval. */
export const isNativeToken = (address: string): boolean => /^0x0+$/.test(address);

/** Converts a draft to the API's input, or returns null if the draft has no amount. */
export function depositInput(
  vault: Pick<VaultDetail, "vaultId">,
  draft: DepositDraft & { userAddress: `0x${string}` },
): DepositInput | null {
  const { chainId, token, amount, slippage, userAddress } = draft;
  if (amount === null) return null;
  const paid = { fromChainId: chainId, fromToken: token, fromAmount: amount };
  return { ...paid, vaultId: vault.vaultId, userAddress, slippage };
}

/**
 * Quotes a draft that has an amount, and again every 30 seconds until a quote fails. Without a wallet, the quote is for
 * the burn address. `settling` is true while a changed amount is still being typed.
 */
export function useDepositQuote(vault: VaultDetail, draft: DepositDraft) {
  const { address } = useWallet();
  const settled = useDebounced(draft.amount);
  const input = depositInput(vault, { ...draft, amount: settled, userAddress: address ?? NOBODY });
  const { chainId, token, slippage } = draft;
  const query = useQuery({
    queryKey: ["quote", vault.vaultId, chainId, token, String(settled), slippage, address],
    queryFn: ({ signal }) => {
      if (input === null) throw new Error("there is no amount to quote");
      return quoteDeposit(causeway, { ...input, signal });
    },
    enabled: input !== null,
    staleTime: QUOTE_MS / 2,
    refetchInterval: ({ state }) => (state.error === null ? QUOTE_MS : false),
  });
  return { ...query, settling: settled !== draft.amount };
}

/**
 * Returns the wallet's balance of a token in its smallest unit, read through the wallet every 20 seconds. Null until a
 * read has succeeded, and while no wallet is connected or it is on another chain.
 */
export function useBalance(of: { chainId: number; token: `0x${string}` }): bigint | null {
  const wallet = useWallet();
  const { address, status } = wallet;
  const query = useQuery({
    queryKey: ["balance", of.chainId, of.token, address],
    queryFn: async () => {
      if (address === null) return null;
      return (await walletSession.load()).balanceOf({ token: of.token, owner: address });
    },
    // Before that, only the account of the last visit is known, and no wallet to ask.
    enabled: status === "connected" && address !== null && wallet.chainId === of.chainId,
    staleTime: BALANCE_MS,
    refetchInterval: BALANCE_MS,
  });
  return wallet.chainId === of.chainId ? (query.data ?? null) : null;
}
