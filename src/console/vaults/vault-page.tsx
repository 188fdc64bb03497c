import { Page } from "../ui/layout.tsx";

/** One vault. */
export function VaultPage() {
  return <Page title="Vault">…</Page>;
}
