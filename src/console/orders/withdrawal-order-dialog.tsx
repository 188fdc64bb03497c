import { useState } from "react";
import { formatAmount, parseAmount, toDecimalText } from "../format/format-numbers.ts";
import type { Position } from "../portfolio/portfolio-search.ts";
import { Segments, TextField } from "../ui/controls.tsx";
import { Modal } from "../ui/dialogs.tsx";
import { MoveForm } from "./move-form.tsx";
import { WithdrawForm } from "./withdraw-form.tsx";

/**
 * Dialog for withdrawing all or part of a position, to the wallet or into another vault. The amount is prefilled with
 * the full share balance.
 */
export function WithdrawDialog(props: {
  position: Position;
  userAddress: `0x${string}`;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { position, userAddress, open, onOpenChange } = props;
  const { shareDecimals, shareBalance } = position;
  const all = toDecimalText(shareBalance, shareDecimals);
  const [text, setText] = useState(all);
  const [goal, setGoal] = useState("wallet");
  const parsed = parseAmount(text, shareDecimals);
  const shares = "amount" in parsed && parsed.amount <= shareBalance ? parsed.amount : null;
  const problem =
    "problem" in parsed ? parsed.problem : shares === null ? "This is more than you hold." : null;
  return (
    <Modal open={open} onOpenChange={onOpenChange} title={`Withdraw from ${position.vaultName}`}>
      <div className="space-y-4">
        <Segments
          label="Where to"
          value={goal}
          choices={[
            { value: "wallet", label: "To my wallet" },
            { value: "vault", label: "Into another vault" },
          ]}
          onChange={setGoal}
        />
        <div>
          <TextField
            label="Shares"
            inputMode="decimal"
            autoComplete="off"
            value={text}
            problem={problem}
            onChange={(event) => setText(event.target.value)}
          />
          <p className="mt-1 flex justify-between gap-3 text-sm text-muted">
            You hold {formatAmount(shareBalance, { decimals: shareDecimals })} shares.
            {shares === shareBalance ? null : (
              <button
                type="button"
                className="font-medium text-accent hover:underline"
                onClick={() => setText(all)}
              >
                Use all
              </button>
            )}
          </p>
        </div>
        {goal === "wallet" ? (
          <WithdrawForm position={position} userAddress={userAddress} shares={shares} />
        ) : (
          <MoveForm position={position} userAddress={userAddress} shares={shares} />
        )}
      </div>
    </Modal>
  );
}
