import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { requireBalance } from "../../client/execution/execution-guards.ts";
import { buildDeposit, type VaultDetail } from "../../client/operations/read-operations.ts";
import { formatChain } from "../api/console-chain-names.ts";
import { causeway } from "../api/console-client.ts";
import { chainsQuery } from "../api/console-queries.ts";
import { formatAmount, parseAmount, toDecimalText } from "../format/format-numbers.ts";
import { Button, Chevron, SelectField } from "../ui/controls.tsx";
import { ErrorState } from "../ui/feedback.tsx";
import { TokenMark } from "../ui/token-display.tsx";
import { WalletButton } from "../wallet/wallet-button.tsx";
import { useWallet } from "../wallet/wallet-session.ts";
import { type Authorize, AuthorizeField } from "./order-authorization-field.tsx";
import { QuoteSummary } from "./quote-summary.tsx";
import { depositInput, isNativeToken, useBalance, useDepositQuote } from "./use-deposit-quote.ts";

const TokenPicker = lazy(() =>
  import("./order-token-picker.tsx").then((module) => ({ default: module.TokenPicker })),
);

/** The token that the user pays with. */
interface PaidToken {
  chainId: number;
  address: `0x${string}`;
  symbol: string;
  decimals: number;
}

/** Default slippage, as a fraction. */
const SLIPPAGE = "0.01";

/**
 * Form for a deposit into a vault: shows a quote for what the user enters, and builds the deposit. `onBuilt` is called
 * with its tracking id, unless the API found that the user holds less than it pays. The form sends no transaction.
 */
export function DepositForm(props: { vault: VaultDetail; onBuilt: (trackingId: string) => void }) {
  const { vault, onBuilt } = props;
  const [token, setToken] = useState<PaidToken>({ ...vault.asset, chainId: vault.chainId });
  const [text, setText] = useState("");
  const [slippage, setSlippage] = useState(SLIPPAGE);
  const [authorize, setAuthorize] = useState<Authorize>("auto");
  const native = isNativeToken(token.address);
  const parsed = parseAmount(text, token.decimals);
  const amount = "amount" in parsed ? parsed.amount : null;
  const draft = { chainId: token.chainId, token: token.address, amount, slippage: Number(slippage) };
  const balance = useBalance({ chainId: token.chainId, token: token.address });
  const quote = useDepositQuote(vault, draft);
  const tooMuch = amount !== null && balance !== null && amount > balance;
  const problem = problemOf({ text, parsed, tooMuch });
  return (
    <div className="space-y-4">
      <AmountField
        token={token}
        text={text}
        balance={balance}
        problem={problem}
        onText={setText}
        onToken={(picked) => {
          setToken(picked);
          setText("");
        }}
      />
      {amount === null || problem !== null ? null : (
        <QuoteSummary
          vault={vault}
          quote={quote.data}
          error={quote.error}
          busy={quote.settling || quote.isFetching}
        />
      )}
      <div className={`grid gap-3 ${native ? "" : "sm:grid-cols-2"}`}>
        <SelectField
          label="Maximum slippage"
          value={slippage}
          choices={[
            { value: "0.003", label: "0.3 %" },
            { value: "0.005", label: "0.5 %" },
            { value: SLIPPAGE, label: "1 %" },
            { value: "0.03", label: "3 %" },
          ]}
          onChange={setSlippage}
        />
        {native ? null : <AuthorizeField value={authorize} onChange={setAuthorize} />}
      </div>
      <Submit
        vault={vault}
        draft={draft}
        authorize={native ? "approve" : authorize}
        onBuilt={onBuilt}
        ready={problem === null && quote.data !== undefined && !quote.settling}
      />
    </div>
  );
}

function problemOf(of: {
  text: string;
  parsed: ReturnType<typeof parseAmount>;
  tooMuch: boolean;
}): string | null {
  if (of.text.trim() === "") return null;
  if ("problem" in of.parsed) return of.parsed.problem;
  return of.tooMuch ? "This is more than your balance." : null;
}

/** Returns the text size at which an amount is visible as a whole on a phone, up to 20 characters. */
function sizeFor(text: string): string {
  if (text.length <= 10) return "text-xl";
  return text.length <= 15 ? "text-base" : "text-xs";
}

function AmountField(props: {
  token: PaidToken;
  text: string;
  balance: bigint | null;
  problem: string | null;
  onText: (text: string) => void;
  onToken: (token: PaidToken) => void;
}) {
  const { token, text, balance, problem, onText, onToken } = props;
  const chains = useQuery(chainsQuery).data ?? [];
  const [picking, setPicking] = useState<"never" | "open" | "closed">("never");
  return (
    <div>
      <label htmlFor="deposit-amount" className="mb-1 block text-sm font-medium">
        You pay
      </label>
      <div
        className={`flex items-center gap-2 rounded-lg border bg-surface pr-1.5 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent ${problem === null ? "border-strong" : "border-bad"}`}
      >
        <input
          id="deposit-amount"
          inputMode="decimal"
          autoComplete="off"
          placeholder="0.00"
          value={text}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby="deposit-amount-note"
          onChange={(event) => onText(event.target.value)}
          className={`h-14 w-full min-w-0 rounded-lg bg-transparent px-3 font-semibold tabular-nums !outline-none ${sizeFor(text)}`}
        />
        <button
          type="button"
          onClick={() => setPicking("open")}
          className="flex shrink-0 items-center gap-2 rounded-lg bg-raised py-1.5 pr-2 pl-1.5 text-left hover:bg-line"
        >
          <TokenMark symbol={token.symbol} />
          <span>
            <span className="sr-only">Pay with </span>
            <span className="block max-w-20 truncate text-sm sm:max-w-32 leading-tight font-medium">
              {token.symbol}
            </span>
            <span className="block max-w-24 truncate text-xs leading-tight text-muted">
              {formatChain(chains, token.chainId)}
            </span>
          </span>
          <Chevron />
        </button>
      </div>
      <div id="deposit-amount-note" className="mt-1 flex min-h-5 flex-wrap justify-between gap-x-3 text-sm">
        <span className="text-bad">{problem}</span>
        <BalanceHint token={token} balance={balance} onAll={onText} />
      </div>
      {picking === "never" ? null : (
        <Suspense fallback={null}>
          <TokenPicker
            open={picking === "open"}
            onOpenChange={(open) => setPicking(open ? "open" : "closed")}
            chainId={token.chainId}
            onPick={onToken}
          />
        </Suspense>
      )}
    </div>
  );
}

/**
 * The wallet's balance, with a button that enters all of it. The button is missing for an empty balance, and for the
 * native currency, part of which is needed for gas. Renders nothing if the balance is unknown (null).
 */
function BalanceHint(props: { token: PaidToken; balance: bigint | null; onAll: (text: string) => void }) {
  const { token, balance, onAll } = props;
  if (balance === null) return null;
  const native = isNativeToken(token.address);
  return (
    <span className="ml-auto flex items-baseline gap-2 whitespace-nowrap text-muted">
      <span className="tabular-nums">Balance: {formatAmount(balance, { decimals: token.decimals })}</span>
      {native || balance === 0n ? null : (
        <button
          type="button"
          onClick={() => onAll(toDecimalText(balance, token.decimals))}
          className="font-medium text-accent hover:underline"
        >
          Use all
        </button>
      )}
    </span>
  );
}

type Draft = Parameters<typeof useDepositQuote>[1];

/** Button that builds the deposit. `onBuilt` then opens the page on which it is signed and tracked. */
function Submit(props: {
  vault: VaultDetail;
  draft: Draft;
  authorize: Authorize;
  ready: boolean;
  onBuilt: (trackingId: string) => void;
}) {
  const { vault, draft, authorize, ready, onBuilt } = props;
  const { address } = useWallet();
  const build = useMutation({
    mutationFn: async (input: NonNullable<ReturnType<typeof depositInput>>) => {
      const built = await buildDeposit(causeway, {
        ...input,
        authorize,
        idempotencyKey: crypto.randomUUID(),
      });
      // The balance cannot be read through a wallet that is on another chain.
      requireBalance(built, input.userAddress);
      return built;
    },
    onSuccess: ({ trackingId }) => onBuilt(trackingId),
  });
  if (address === null) return <WalletButton primary label="Connect a wallet to deposit" />;
  const input = depositInput(vault, { ...draft, userAddress: address });
  return (
    <div className="space-y-3">
      {build.error === null ? null : <ErrorState error={build.error} />}
      <Button
        wide
        disabled={!ready || input === null}
        busy={build.isPending}
        onClick={() => {
          if (input !== null) build.mutate(input);
        }}
      >
        Review deposit
      </Button>
      <p className="text-center text-xs text-muted">
        Nothing is sent yet. You see every step before you sign.
      </p>
    </div>
  );
}
