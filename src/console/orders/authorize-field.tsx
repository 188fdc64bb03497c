import { SelectField } from "../ui/controls.tsx";

/** Authorization of a payment: a signature if the token supports one (`auto`), or an approval. */
export type Authorize = "auto" | "approve";

/** Choice between a signature and an approval transaction, for a payment with tokens or shares. */
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
