import type { ReactNode } from 'react';
import { PanelBody } from './panel.tsx';
import { ScrollRegion } from './scroll-region.tsx';

/** Returns the class of a column's cells. */
export const columnClass = (isNumber = false, isMinor = false): string | undefined =>
  [isNumber ? 'number' : '', isMinor ? 'minor' : ''].join(' ').trim() || undefined;

/** A table that scrolls independently, also by keyboard. On a phone, each row is a card. */
export const SimpleTable = ({
  label,
  heads,
  rows,
  numbers = [],
  minor = [],
  maxHeight,
  empty,
}: {
  readonly label: string;
  readonly heads: readonly string[];
  /** The first cell of each row is its header. */
  readonly rows: readonly (readonly ReactNode[])[];
  /** Heads of columns of numbers, which align right. */
  readonly numbers?: readonly string[];
  /** Heads of columns that are left out where the table is narrow. */
  readonly minor?: readonly string[];
  /** In pixels. A longer table scrolls. */
  readonly maxHeight?: number;
  /** Text instead of a table without rows. */
  readonly empty?: string;
}) => {
  const classOf = (head = '') => columnClass(numbers.includes(head), minor.includes(head));
  if (empty !== undefined && rows.length === 0) return <PanelBody>{empty}</PanelBody>;
  return (
    <ScrollRegion label={`Table: ${label}`} maxHeight={maxHeight}>
      <table aria-label={label}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col" key={head} className={classOf(head)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...rest], place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ids, and are replaced together
            <tr key={place}>
              <th scope="row">{first}</th>
              {rest.map((cell, at) => (
                <td key={heads[at + 1]} data-label={heads[at + 1]} className={classOf(heads[at + 1])}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
};
