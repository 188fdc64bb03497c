import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer, Positions } from "../../client/read-actions.ts";
import { ask } from "../api/console-client.ts";
import { formatAmount, formatUsd, parseAmount, toDecimalText } from "../format/amounts.ts";
import { describeSettlement, formatTime, toSentence } from "../format/words.ts";
import { BuiltSteps } from "../orders/built-steps.tsx";
import { Button, TextField } from "../ui/controls.tsx";
import { Modal } from "../ui/dialogs.tsx";
import { Badge, ErrorState, Loaded, Notice } from "../ui/feedback.tsx";
import { Fact, Facts } from "../ui/layout.tsx";
import { TokenAmount } from "../ui/tokens.tsx";
import { useDebounced } from "../ui/use-debounced.ts";

type Position = Positions["positions"][number];
type Option = Answer<"withdrawals.quote">["options"][number];

/** Withdraws some or all of a position: how much, by which way, and the steps to sign. */
export function WithdrawDialog(props: {
  position: Position;
  userAddress: `0x${string}`;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { position, userAddress, open, onOpenChange } = props;
  const [built, setBuilt] = useState<Answer<"withdrawals.build"> | null>(null);
  const [sent, setSent] = useState(false);
  const cache = useQueryClient();
  // Read again only when the dialog closes: a position that is gone would take the message with it.
  const change = (next: boolean) => {
    if (!next && sent) void cache.invalidateQueries({ queryKey: ["positions"] });
    if (!next) setBuilt(null);
    onOpenChange(next);
  };
  return (
    <Modal open={open} onOpenChange={change} title={`Withdraw from ${position.vaultName}`}>
      {sent ? (
        <Notice tone="good" title="Sent">
          {built?.mode === "instant"
            ? "The tokens are at your address."
            : "The vault settles later. Your portfolio shows the request, and when you can claim."}
        </Notice>
      ) : built === null ? (
        <WithdrawForm position={position} userAddress={userAddress} onBuilt={setBuilt} />
      ) : (
        <BuiltSteps built={built} userAddress={userAddress} onSent={() => setSent(true)} />
      )}
    </Modal>
  );
}

function WithdrawForm(props: {
  position: Position;
  userAddress: `0x${string}`;
  onBuilt: (built: Answer<"withdrawals.build">) => void;
}) {
  const { position, userAddress, onBuilt } = props;
  const { shareDecimals, shareBalance, vaultId } = position;
  const [text, setText] = useState(toDecimalText(shareBalance, shareDecimals));
  const parsed = parseAmount(text, shareDecimals);
  const tooMuch = "amount" in parsed && parsed.amount > shareBalance;
  const problem = "problem" in parsed ? parsed.problem : tooMuch ? "This is more than you hold." : null;
  const shares =
    "amount" in parsed && !tooMuch ? (parsed.amount === shareBalance ? "all" : parsed.amount) : null;
  const body = { vaultId, userAddress, shares };
  const build = useMutation({
    mutationFn: (mode: Option["mode"]) =>
      ask<"withdrawals.build">({
        method: "POST",
        path: "/v1/withdraw/build",
        body: { ...body, mode: mode === "instant" ? "instant" : "request" },
        headers: { "idempotency-key": crypto.randomUUID() },
      }),
    onSuccess: onBuilt,
  });
  return (
    <div className="space-y-4">
      <TextField
        label="Shares"
        inputMode="decimal"
        autoComplete="off"
        value={text}
        problem={problem}
        hint={`You hold ${formatAmount(shareBalance, { decimals: shareDecimals })} shares.`}
        onChange={(event) => setText(event.target.value)}
      />
      {build.error === null ? null : <ErrorState error={build.error} />}
      {shares === null ? null : (
        <Options
          position={position}
          body={{ vaultId, userAddress, shares }}
          busy={build.isPending}
          onChoose={build.mutate}
        />
      )}
    </div>
  );
}

function Options(props: {
  position: Position;
  body: { vaultId: string; userAddress: string; shares: bigint | "all" };
  busy: boolean;
  onChoose: (mode: Option["mode"]) => void;
}) {
  const { position, busy, onChoose } = props;
  const body = useDebounced(props.body.shares);
  const query = useQuery({
    queryKey: ["withdraw quote", props.body.vaultId, props.body.userAddress, String(body)],
    queryFn: ({ signal }) =>
      ask<"withdrawals.quote">({
        method: "POST",
        path: "/v1/withdraw/quote",
        body: { ...props.body, shares: body },
        signal,
      }),
  });
  return (
    <Loaded query={query} rows={3}>
      {({ options, warnings }) => (
        <div className="space-y-3">
          {warnings.map(({ code, detail }) => (
            <Notice key={code} tone="warn">
              {detail}
            </Notice>
          ))}
          {options.map((option) => (
            <OptionCard
              key={option.mode}
              option={option}
              position={position}
              busy={busy}
              onChoose={onChoose}
            />
          ))}
        </div>
      )}
    </Loaded>
  );
}

function OptionCard(props: {
  option: Option;
  position: Position;
  busy: boolean;
  onChoose: (mode: Option["mode"]) => void;
}) {
  const { option, position, busy, onChoose } = props;
  const asset = { symbol: position.assetSymbol, decimals: position.assetDecimals };
  const [refusal] = option.reasons;
  return (
    <section className="rounded-lg border border-line p-4">
      <h3 className="mb-2 flex items-center justify-between font-medium">
        {describeSettlement(option.mode)}
        {refusal === undefined ? null : <Badge tone="warn">Not now</Badge>}
      </h3>
      {refusal === undefined ? (
        <>
          <Facts>
            <Fact term="You get">
              <TokenAmount amount={option.assets} token={asset} />
              <span className="block text-muted">{formatUsd(option.toAmountUsd)}</span>
            </Fact>
            <Fact term="At least">
              {option.minAssets === null ? (
                "Priced when the vault settles"
              ) : (
                <TokenAmount amount={option.minAssets} token={asset} />
              )}
            </Fact>
            {option.exitFee === null || option.exitFee === 0n ? null : (
              <Fact term="Exit fee">
                <TokenAmount amount={option.exitFee} token={asset} />
              </Fact>
            )}
            {option.availableAt === null ? null : (
              <Fact term="Available">{formatTime(option.availableAt)}</Fact>
            )}
          </Facts>
          <div className="mt-3">
            <Button wide busy={busy} onClick={() => onChoose(option.mode)}>
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
