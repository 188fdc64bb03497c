import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { requireBalance } from "../../client/execution/execution-guards.ts";
import {
  buildWithdrawal,
  quoteWithdrawal,
  type WithdrawalInput,
  type WithdrawalQuote,
} from "../../client/operations/read-operations.ts";
import { formatChain } from "../api/console-chain-names.ts";
import { causeway } from "../api/console-client.ts";
import { chainsQuery } from "../api/console-queries.ts";
import { formatUsd } from "../format/format-numbers.ts";
import { toSentence } from "../format/format-text.ts";
import { formatTime } from "../format/format-times.ts";
import { describeNoMinimum, describeSettlement } from "../format/format-vault-words.ts";
import type { Position } from "../portfolio/portfolio-search.ts";
import { Button, Chevron, SelectField } from "../ui/controls.tsx";
import { Badge, ErrorState, Loaded, Notice } from "../ui/feedback.tsx";
import { Fact, Facts } from "../ui/page-and-cards.tsx";
import { TokenAmount } from "../ui/token-display.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { type Authorize, AuthorizeField } from "./order-authorization-field.tsx";
import { MinimumFact } from "./order-minimum.tsx";

const TokenPicker = lazy(() =>
  import("./order-token-picker.tsx").then((module) => ({ default: module.TokenPicker })),
);

type Option = WithdrawalQuote["options"][number];

/** The token that the user wants to receive, and its chain. */
interface RequestedToken {
  chainId: number;
  address: `0x${string}`;
  symbol: string;
  decimals: number | null;
}

/** Default slippage of a withdrawal, as a fraction: if the vault's own asset is received, and otherwise. */
const [SAME_TOKEN, OTHER_TOKEN] = ["0.005", "0.03"];

/**
 * Form that builds a withdrawal to the wallet and opens its page. `shares` is in the share token's smallest unit, null
 * while the amount is invalid; the whole balance is withdrawn as `all`.
 */
export function WithdrawForm(props: {
  position: Position;
  userAddress: `0x${string}`;
  shares: bigint | null;
}) {
  const { position, userAddress, shares } = props;
  const { vaultId, chainId } = position;
  const asset = {
    ...{ chainId, address: position.assetAddress, symbol: position.assetSymbol },
    decimals: position.assetDecimals,
  };
  const [requested, setRequested] = useState<RequestedToken>(asset);
  const [slippage, setSlippage] = useState<string | null>(null);
  const [authorize, setAuthorize] = useState<Authorize>("auto");
  const same = requested.chainId === chainId && requested.address === asset.address;
  const loss = slippage ?? (same ? SAME_TOKEN : OTHER_TOKEN);
  const to = same ? {} : { toChainId: requested.chainId, toToken: requested.address };
  const input =
    shares === null
      ? null
      : {
          ...{ vaultId, userAddress, slippage: Number(loss), ...to },
          shares: shares === position.shareBalance ? ("all" as const) : shares,
        };
  return (
    <div className="space-y-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <div className="sm:col-span-2">
          <TokenChoice requested={requested} onPick={setRequested} />
        </div>
        <SelectField
          label="Maximum slippage"
          value={loss}
          choices={[
            { value: "0.001", label: "0.1 %" },
            { value: SAME_TOKEN, label: "0.5 %" },
            { value: "0.01", label: "1 %" },
            { value: OTHER_TOKEN, label: "3 %" },
          ]}
          onChange={setSlippage}
        />
        <AuthorizeField value={authorize} onChange={setAuthorize} />
      </div>
      {input === null ? null : (
        <Options input={input} authorize={authorize} requested={requested} asset={asset} />
      )}
    </div>
  );
}

function TokenChoice({
  requested,
  onPick,
}: {
  requested: RequestedToken;
  onPick: (token: RequestedToken) => void;
}) {
  const chains = useQuery(chainsQuery).data ?? [];
  const [picking, setPicking] = useState<"never" | "open" | "closed">("never");
  return (
    <div>
      <span className="mb-1 block text-sm font-medium">You receive</span>
      <button
        type="button"
        onClick={() => setPicking("open")}
        className="flex min-h-10 w-full items-center justify-between gap-2 rounded-lg border border-strong bg-surface py-2 pr-2.5 pl-3 text-left"
      >
        <span className="truncate">
          <span className="sr-only">Receive </span>
          {requested.symbol} <span className="text-muted">on {formatChain(chains, requested.chainId)}</span>
        </span>
        <Chevron />
      </button>
      {picking === "never" ? null : (
        <Suspense fallback={null}>
          <TokenPicker
            open={picking === "open"}
            onOpenChange={(open) => setPicking(open ? "open" : "closed")}
            chainId={requested.chainId}
            title="Receive"
            onPick={onPick}
          />
        </Suspense>
      )}
    </div>
  );
}

function Options(props: {
  input: WithdrawalInput;
  authorize: Authorize;
  requested: RequestedToken;
  asset: RequestedToken;
}) {
  const { authorize, requested, asset } = props;
  const navigate = useNavigate();
  const key = JSON.stringify(props.input, (_name, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const settled = useDebounced(key);
  const query = useQuery({
    queryKey: ["withdraw quote", settled],
    queryFn: ({ signal }) => quoteWithdrawal(causeway, { ...props.input, signal }),
    enabled: settled === key,
  });
  const build = useMutation({
    mutationFn: async (mode: Option["mode"]) => {
      const input = { ...props.input, mode: mode === "instant" ? mode : ("request" as const) };
      const built = await buildWithdrawal(causeway, { ...input, authorize });
      // The position may be older than a transaction that moved the shares.
      requireBalance(built, props.input.userAddress);
      return built;
    },
    onSuccess: ({ trackingId }) => void navigate({ to: "/withdrawals/$trackingId", params: { trackingId } }),
  });
  return (
    <Loaded query={settled === key ? query : { ...query, data: undefined, error: null }} rows={3}>
      {({ options, warnings }) => (
        <div className="space-y-3">
          {build.error === null ? null : <ErrorState error={build.error} />}
          {warnings.map(({ code, detail }) => (
            <Notice key={`${code} ${detail}`} tone="warn">
              {toSentence(detail)}
            </Notice>
          ))}
          {options.map((option, index) => (
            <OptionCard
              key={option.mode}
              option={option}
              requested={requested}
              asset={asset}
              first={index === 0}
              busy={build.isPending && build.variables === option.mode}
              onChoose={() => build.mutate(option.mode)}
            />
          ))}
          <p className="text-center text-xs text-muted">
            Nothing is sent yet. You see every step before you sign.
          </p>
        </div>
      )}
    </Loaded>
  );
}

function OptionCard(props: {
  option: Option;
  requested: RequestedToken;
  asset: RequestedToken;
  first: boolean;
  busy: boolean;
  onChoose: () => void;
}) {
  const { option, requested, asset, first, busy, onChoose } = props;
  const [refusal] = option.reasons;
  return (
    <section className="rounded-lg border border-line p-4">
      <h3 className="mb-2 flex items-center justify-between font-medium">
        {describeSettlement(option.mode)}
        {refusal === undefined ? null : <Badge tone="warn">Not now</Badge>}
      </h3>
      {refusal === undefined ? (
        <>
          <OptionFigures option={option} requested={requested} asset={asset} />
          <div className="mt-3">
            <Button wide kind={first ? "primary" : "secondary"} busy={busy} onClick={onChoose}>
              Review withdrawal
            </Button>
          </div>
        </>
      ) : (
        <p className="text-sm text-muted">{toSentence(refusal.detail)}</p>
      )}
    </section>
  );
}

function OptionFigures({
  option,
  requested,
  asset,
}: {
  option: Option;
  requested: RequestedToken;
  asset: RequestedToken;
}) {
  const swapped = requested.chainId !== asset.chainId || requested.address !== asset.address;
  return (
    <Facts>
      <Fact term="You get">
        <TokenAmount amount={option.toAmount} token={requested} />
        <span className="block text-muted">{formatUsd(option.toAmountUsd)}</span>
      </Fact>
      <MinimumFact term="At least" twoStep={option.twoStep === true && option.toAmountMin !== null}>
        {option.toAmountMin === null ? (
          describeNoMinimum(option.mode)
        ) : (
          <TokenAmount amount={option.toAmountMin} token={requested} />
        )}
      </MinimumFact>
      {swapped ? (
        <Fact term="The vault pays">
          <TokenAmount amount={option.assets} token={asset} />
        </Fact>
      ) : null}
      {option.exitFee === null || option.exitFee === 0n ? null : (
        <Fact term="Exit fee">
          <TokenAmount amount={option.exitFee} token={asset} />
        </Fact>
      )}
      {option.availableAt === null ? null : <Fact term="Payable from">{formatTime(option.availableAt)}</Fact>}
    </Facts>
  );
}
