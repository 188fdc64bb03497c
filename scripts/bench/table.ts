/** One line of the report: name, figures and target. */
export interface Row {
  name: string;
  /** One figure per column. */
  values: readonly string[];
  aim?: string;
  /** True if the target was reached. Absent if there is no target. */
  reached?: boolean;
}

/** Prints a titled table, figures right-aligned under their column titles. */
export function printTable(title: string, columns: readonly string[], rows: readonly Row[]): void {
  const lines = [{ name: title, values: columns }, ...rows];
  const names = Math.max(...lines.map(({ name }) => name.length)) + 2;
  const widths = columns.map((_, index) =>
    Math.max(...lines.map(({ values }) => (values[index] ?? "").length)),
  );
  console.log("");
  for (const { name, values, aim, reached } of lines as Row[]) {
    const cells = widths.map((width, index) => (values[index] ?? "").padStart(width)).join("  ");
    const verdict = reached === undefined ? "" : reached ? "  ok" : "  MISSED";
    const indented = name === title ? name : `  ${name}`;
    console.log(
      `${indented.padEnd(names)}  ${cells}${aim === undefined ? "" : `  aim ${aim}`}${verdict}`.trimEnd(),
    );
  }
}

/** Formats milliseconds for a table. */
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
/** Formats a ratio for a table. */
export const ratio = (value: number): string => `${value.toFixed(2)} x`;
