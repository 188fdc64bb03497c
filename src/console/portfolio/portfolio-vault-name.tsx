import { Link } from "@tanstack/react-router";
import { TokenMark } from "../ui/token-display.tsx";

/** Name of a vault with its chain and its token's mark, linked to the vault's page. */
export function VaultName(props: { vaultId: string; name: string; symbol: string; chain: string }) {
  const { vaultId, name, symbol, chain } = props;
  return (
    <Link
      to="/vaults/$vaultId"
      params={{ vaultId }}
      className="flex min-w-0 items-center gap-3 hover:underline"
    >
      <TokenMark symbol={symbol} />
      <span className="min-w-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="block text-sm text-muted">{chain}</span>
      </span>
    </Link>
  );
}
