import { useHotkeys } from '@mantine/hooks';
import { measureElement, useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, useEffect, useState } from 'react';
import { KEEP_DEFAULT, outsideFields } from '../shell/shortcuts.ts';
import type { Column } from './column.ts';
import { keepPlace, placeOf } from './kept-place.ts';
import { MeanHeight } from './mean-height.ts';
import type { PagedList } from './paged-list.ts';
import { type RowSelection, SelectRow } from './selection.tsx';
import { columnClass } from './simple-table.tsx';

/** Extra rows rendered above and below the visible ones, so that scrolling shows no gap. */
const OVERSCAN = 20;

interface DataRowsProps<Row> {
  /** Names the list, whose place is kept for Back. */
  readonly label: string;
  /** In the order in which they are shown. */
  readonly rows: readonly Row[];
  readonly list: PagedList<Row>;
  /** What scrolls. */
  readonly place: HTMLElement | null;
  readonly columns: readonly Column<Row>[];
  readonly rowHeader: string | undefined;
  readonly keyOf: (row: Row) => string;
  readonly selection: RowSelection<Row> | undefined;
  readonly onOpen: ((row: Row) => void) | undefined;
}

/** The rows of a table that are in sight. Near the last one, more are loaded. */
export function DataRows<Row>(props: DataRowsProps<Row>) {
  const { label, rows, place, columns, rowHeader, keyOf, selection, onOpen } = props;
  const [before] = useState(() => placeOf(label));
  // Rows that aren't measured are as high as the measured ones are on average.
  const [heights] = useState(() => before?.heights ?? new MeanHeight());
  const virtual = useVirtualizer({
    count: rows.length,
    estimateSize: () => heights.mean,
    measureElement: (row, entry, list) => {
      const px = measureElement(row, entry, list);
      heights.measured(row.getAttribute('data-key') ?? '', px);
      return px;
    },
    overscan: OVERSCAN,
    getScrollElement: () => place,
    getItemKey: (index) => (rows[index] ? keyOf(rows[index]) : index),
    onChange: (list) => keepPlace(label, list, heights),
    ...before,
  });
  const drawn = virtual.getVirtualItems();
  useLoadingAtEnd(props.list, (drawn.at(-1)?.index ?? -1) >= rows.length - 1);
  // The browser would scroll to where the end was before the last rows were measured.
  const scrollToEnd = (event: KeyboardEvent) => {
    if (!place?.contains(event.target as Node)) return;
    event.preventDefault();
    virtual.scrollToEnd();
  };
  useHotkeys([['End', scrollToEnd, KEEP_DEFAULT]]);
  const [active, setActive] = useActiveRow(props, virtual.scrollToIndex);
  const openRow = (index: number, row: Row, event: MouseEvent) => {
    const isControl = (event.target as Element).closest('a, button, input, label') !== null;
    if (isControl || window.getSelection()?.toString()) return;
    setActive(index);
    onOpen?.(row);
  };
  return (
    <tbody>
      <Gap px={drawn[0]?.start ?? 0} />
      {drawn.map(({ index, key }) => {
        const row = rows[index];
        if (!row) return null;
        const rowKey = keyOf(row);
        return (
          <tr
            key={key}
            style={onOpen ? { cursor: 'pointer' } : undefined}
            onClick={onOpen ? (event) => openRow(index, row, event) : undefined}
            aria-rowindex={index + 2}
            aria-selected={selection?.isSelected(rowKey)}
            data-active={index === active || undefined}
            data-index={index}
            data-key={rowKey}
            ref={virtual.measureElement}
          >
            {selection ? (
              <td className="select">
                <SelectRow selection={selection} row={row} rowKey={rowKey} />
              </td>
            ) : null}
            {columns.map(({ name, cell, isNumber, isMinor }) =>
              name === rowHeader ? (
                <th scope="row" key={name}>
                  {cell(row)}
                </th>
              ) : (
                <td key={name} data-label={name} className={columnClass(isNumber, isMinor)}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        );
      })}
      <Gap px={virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0)} />
    </tbody>
  );
}

/** Loads the next page of a list once its end is in sight. */
function useLoadingAtEnd<Row>(list: PagedList<Row>, isAtEnd: boolean): void {
  const { error, isFetching, hasMore, needsClick, loadMore } = list;
  useEffect(() => {
    if (isAtEnd && hasMore && !needsClick && !isFetching && !error) loadMore();
  }, [isAtEnd, hasMore, needsClick, isFetching, error, loadMore]);
}

/** Returns the row that `j` and `k` move to, which Enter opens. */
function useActiveRow<Row>(
  { rows, place, onOpen }: DataRowsProps<Row>,
  scrollTo: (index: number) => void,
): [number, (index: number) => void] {
  const [active, setActive] = useState(-1);
  const move = (by: number) => {
    const next = Math.min(Math.max(active + by, 0), rows.length - 1);
    setActive(next);
    scrollTo(next);
    // Otherwise Enter would press the control that has the focus.
    place?.focus({ preventScroll: true });
  };
  const openActive = () => {
    const row = rows[active];
    if (row) onOpen?.(row);
  };
  useHotkeys(
    onOpen
      ? [
          ['j', outsideFields(() => move(1)), KEEP_DEFAULT],
          ['k', outsideFields(() => move(-1)), KEEP_DEFAULT],
          ['Enter', outsideFields(openActive), KEEP_DEFAULT],
        ]
      : [],
    [],
  );
  return [active, setActive];
}

/** Fills the space of rows that are not rendered. */
const Gap = ({ px }: { readonly px: number }) =>
  px > 0 ? (
    <tr className="gap">
      <td style={{ height: px, padding: 0 }} />
    </tr>
  ) : null;
