import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer } from "../../client/operations/read-operations.ts";
import { formatChain } from "../api/console-chain-names.ts";
import { chainsQuery, tokensQuery } from "../api/console-queries.ts";
import { formatUsd } from "../format/format-numbers.ts";
import { shorten } from "../format/format-text.ts";
import { SelectField, TextField } from "../ui/controls.tsx";
import { Modal } from "../ui/dialogs.tsx";
import { EmptyState, Loaded } from "../ui/feedback.tsx";
import { TokenMark } from "../ui/token-display.tsx";

/** A token as the API lists it. */
export type ListedToken = Extract<Answer<"tokens.list">, readonly unknown[]>[number];

/**
 * Dialog for choosing a token on any served chain, first on the chain `chainId`, later on the one selected last. Calls
 * `onPick` with the chosen token, and then `onOpenChange` with false.
 */
export function TokenPicker(props: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  chainId: number;
  title?: string;
  onPick: (token: ListedToken) => void;
}) {
  const { open, onOpenChange, chainId, title = "Pay with", onPick } = props;
  const chains = useQuery(chainsQuery).data ?? [];
  const [chain, setChain] = useState(chainId);
  const [search, setSearch] = useState("");
  return (
    <Modal open={open} onOpenChange={onOpenChange} title={title}>
      <div className="space-y-3">
        <SelectField
          label="Chain"
          value={String(chain)}
          choices={chains.map(({ chainId: id }) => ({ value: String(id), label: formatChain(chains, id) }))}
          onChange={(value) => setChain(Number(value))}
        />
        <TextField
          label="Token"
          type="search"
          placeholder="Name, symbol or address"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <TokenList
          chainId={chain}
          search={search}
          onPick={(token) => {
            onPick(token);
            onOpenChange(false);
          }}
        />
      </div>
    </Modal>
  );
}

function TokenList(props: { chainId: number; search: string; onPick: (token: ListedToken) => void }) {
  const { chainId, search, onPick } = props;
  const query = useQuery(tokensQuery(chainId));
  return (
    <Loaded query={query}>
      {(tokens) => {
        const text = search.trim().toLowerCase();
        const found = tokens.filter(({ symbol, name, address }) =>
          `${symbol} ${name} ${address}`.toLowerCase().includes(text),
        );
        if (found.length === 0)
          return (
            <EmptyState title="No such token here">
              Only tokens that the service knows can be used.
            </EmptyState>
          );
        return (
          <ul className="-mx-2 max-h-80 overflow-y-auto">
            {found.map((token) => (
              <li key={token.address}>
                <button
                  type="button"
                  onClick={() => onPick(token)}
                  className="flex w-full items-center gap-3 rounded-lg px-2 py-2 text-left hover:bg-raised focus-visible:-outline-offset-2"
                >
                  <TokenMark symbol={token.symbol} />
                  <span className="min-w-0 flex-1">
                    <span className="block font-medium">{token.symbol}</span>
                    <span className="block truncate text-sm text-muted">
                      {/^0x0+$/.test(token.address) ? "Native token" : token.name || shorten(token.address)}
                    </span>
                  </span>
                  <span className="text-sm text-muted tabular-nums">{formatUsd(token.priceUsd)}</span>
                </button>
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}
