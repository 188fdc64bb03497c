import type { ReactNode } from "react";

/**
 * A column of a table. The first is always shown, and aligned to the left. Of the others, minor ones are hidden on
 * narrow screens; they are aligned to the right, or to the left if `text` is true. Labels are unique in the table.
 */
export interface Column {
  label: string;
  minor?: boolean;
  text?: boolean;
}

/**
 * A row of a table. `name` is the cell of the first column, `cells` those of the others in their order; `id` is unique
 * in the table.
 */
export interface TableRow {
  id: string;
  name: ReactNode;
  cells: readonly ReactNode[];
}

/** A table of data. The cells of the first column are row headings. */
export function DataTable({ columns, rows }: { columns: readonly Column[]; rows: readonly TableRow[] }) {
  const [first, ...others] = columns;
  const look = (index: number) =>
    `${others[index]?.minor === true ? "hidden sm:table-cell" : ""} ${others[index]?.text === true ? "text-left" : "text-right"}`;
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="border-b border-line text-xs text-muted">
          <th scope="col" className="py-2 pr-2 pl-4 text-left font-medium sm:px-5">
            {first?.label}
          </th>
          {others.map(({ label }, index) => (
            <th key={label} scope="col" className={`px-2 py-2 font-medium last:pr-4 sm:px-5 ${look(index)}`}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.map(({ id, name, cells }) => (
          <tr key={id}>
            <th scope="row" className="py-2.5 pr-2 pl-4 text-left font-medium break-words sm:px-5">
              {name}
            </th>
            {others.map(({ label }, index) => (
              <td key={label} className={`px-2 py-2.5 tabular-nums last:pr-4 sm:px-5 ${look(index)}`}>
                {cells[index]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
