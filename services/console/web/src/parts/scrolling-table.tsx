import type { ReactNode } from 'react';
import { Scrolled } from './scrolled.tsx';

interface ScrollingTableProps {
  readonly label: string;
  readonly heads: readonly string[];
  /** The first cell of each row is its header. */
  readonly rows: readonly (readonly ReactNode[])[];
}

/** A table that scrolls independently, also by keyboard. */
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
