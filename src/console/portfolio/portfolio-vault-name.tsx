import { Link } from "@tanstack/react-router";
import { TokenMark } from "../ui/token-display.tsx";

/**
 * Link to a vault's page: the vault's name above its chain's name, next to a badge with the first letters of the
 * asset's symbol (`symbol`).
 */
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
