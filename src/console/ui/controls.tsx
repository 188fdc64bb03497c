import { type ComponentProps, type ReactNode, useId } from "react";

/** Style of a button. `danger` is for the confirmation of an action with a consequence, such as revoking a key. */
export type ButtonKind = "primary" | "secondary" | "quiet" | "danger";

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: "bg-solid text-white hover:bg-solid-hover",
  secondary: "border border-strong/60 bg-surface text-ink hover:bg-raised",
  quiet: "text-accent hover:bg-accent-soft",
  danger: "bg-bad text-surface hover:opacity-90",
};

/** Returns the CSS classes of a button or of a link that looks like one. A `wide` button fills its container. */
export const buttonClass = (kind: ButtonKind = "primary", wide = false): string =>
  `inline-flex min-h-10 items-center justify-center gap-2 rounded-lg px-4 py-2 text-sm font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-60 ${KINDS[kind]} ${wide ? "w-full" : ""}`;

/**
 * A button. Its type defaults to `button`, so that it does not submit a form by accident. `busy` disables it and shows
 * a spinner.
 */
export function Button(
  props: Omit<ComponentProps<"button">, "className"> & { kind?: ButtonKind; wide?: boolean; busy?: boolean },
) {
  const { kind = "primary", wide = false, busy = false, disabled, type, children, ...rest } = props;
  return (
    <button
      {...rest}
      type={type ?? "button"}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={buttonClass(kind, wide)}
    >
      {busy ? <Spinner /> : null}
      {children}
    </button>
  );
}

/** A spinner without a label. It must be next to a text that names what is loading. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-4 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}

const FIELD =
  "h-10 w-full min-w-0 rounded-lg border border-strong bg-surface px-3 py-2 text-ink disabled:opacity-60 aria-invalid:border-bad";

/**
 * A text field with a label, and below it the problem or, without one, the hint. `hideLabel` shows the label to screen
 * readers only.
 */
export function TextField(
  props: Omit<ComponentProps<"input">, "className" | "id"> & {
    label: string;
    hint?: ReactNode;
    problem?: string | null;
    hideLabel?: boolean;
  },
) {
  const { label, hint, problem = null, hideLabel = false, ...input } = props;
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1 block text-sm font-medium"}>
        {label}
      </label>
      <input
        {...input}
        id={id}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={problem !== null || hint !== undefined ? `${id}-note` : undefined}
        className={FIELD}
      />
      {problem !== null || hint !== undefined ? (
        <div id={`${id}-note`} className={`mt-1 text-sm ${problem === null ? "text-muted" : "text-bad"}`}>
          {problem ?? hint}
        </div>
      ) : null}
    </div>
  );
}

/** An arrow that points down: the mark of a control that opens choices or a section. */
export function Chevron() {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" className="size-4 shrink-0 text-muted">
      <path d="M4 6.5 8 10.5 12 6.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}

/** An option of a `SelectField` or `Segments`: its value, and the label that is shown. */
export interface Choice {
  value: string;
  label: string;
}

/**
 * A select field with a label. It uses the browser's native control, which works best on phones and with screen
 * readers.
 */
export function SelectField(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
  hideLabel?: boolean;
}) {
  const { label, value, choices, onChange, hideLabel = false } = props;
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1 block text-sm font-medium"}>
        {label}
      </label>
      <div className="relative">
        <select
          id={id}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={`${FIELD} appearance-none truncate !pr-9`}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
        <span className="pointer-events-none absolute inset-y-0 right-2.5 flex items-center">
          <Chevron />
        </span>
      </div>
    </div>
  );
}

/** A row of buttons for choosing one of a few options. `label` is shown to screen readers only. */
export function Segments(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
}) {
  const { label, value, choices, onChange } = props;
  return (
    <fieldset className="flex rounded-lg bg-raised p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className="min-h-8 rounded-md px-3 text-sm text-muted hover:text-ink aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-ink aria-pressed:shadow-sm"
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
