import { SelectField } from "../ui/controls.tsx";

/**
 * How the user authorizes a payment. `approve`: by an approval transaction, unless the allowance already suffices;
 * `auto`: by the first that works of a sufficient allowance, a signature and an approval.
 */
export type Authorize = "auto" | "approve";

/**
 * Field for choosing how the user authorizes a payment: automatically, or by an approval transaction. For deposits paid
 * in tokens, and for moves and withdrawals of shares.
 */
export function AuthorizeField(props: { value: Authorize; onChange: (value: Authorize) => void }) {
  return (
    <SelectField
      label="How you approve"
      value={props.value}
      choices={[
        { value: "auto", label: "Automatic" },
        { value: "approve", label: "Transaction" },
      ]}
      onChange={(value) => props.onChange(value === "approve" ? "approve" : "auto")}
    />
  );
}
