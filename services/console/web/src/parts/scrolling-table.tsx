import type { ReactNode } from 'react';
import { Scrolled } from './scrolled.tsx';

interface ScrollingTableProps {
  readonly label: string;
  readonly heads: readonly string[];
  /** The first of each row is what the row is about. */
  readonly rows: readonly (readonly ReactNode[])[];
}

/** A table that scrolls in its own place, by keyboard too. */
export const ScrollingTable = ({ label, heads, rows }: ScrollingTableProps) => (
  <Scrolled label={`Table: ${label}`}>
    <table className="bp6-html-table bp6-compact">
      <thead>
        <tr>
          {heads.map((head) => (
            <th scope="col" key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...rest]) => (
          <tr key={String(first)}>
            <th scope="row">{first}</th>
            {rest.map((cell, at) => (
              <td key={heads[at + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scrolled>
);
