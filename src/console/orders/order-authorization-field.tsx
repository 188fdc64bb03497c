import { SelectField } from "../ui/controls.tsx";

/**
 * How the user authorizes a payment. `auto`: by a signature if the token supports one; `approve`: by an approval
 * transaction.
 */
export type Authorize = "auto" | "approve";

/**
 * Field to choose between a signature and an approval transaction, for deposits paid in tokens and withdrawals paid in
 * shares.
 */
export function AuthorizeField(props: { value: Authorize; onChange: (value: Authorize) => void }) {
  return (
    <SelectField
      label="How you approve"
      value={props.value}
      choices={[
        { value: "auto", label: "Signature" },
        { value: "approve", label: "Transaction" },
      ]}
      onChange={(value) => props.onChange(value === "approve" ? "approve" : "auto")}
    />
  );
}
