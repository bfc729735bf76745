import { Button } from '@blueprintjs/core';
import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_basic,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { sentenceOf } from '../calls.ts';
import { ChooseAll, ChooseOne, type Choosing } from './choosing.tsx';
import { MOST_ROWS, type Pages } from './pages.ts';
import { Scrolled } from './scrolled.tsx';

const ROW_PX = 34;
/** Extra rows rendered above and below the visible ones, so that scrolling shows no gap. */
const OVERSCAN = 20;
const ASK_FOR_LESS = `There may be more than the ${MOST_ROWS.toLocaleString('en-GB')} shown: ask for less.`;
const ARROWS = { asc: ' ↑', desc: ' ↓' } as const;
const ARIA = { asc: 'ascending', desc: 'descending' } as const;

/** One column of a list. The first column is the row header. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Sort key of a row. Omitted for columns that can't be sorted. */
  readonly order?: (row: Row) => string | number | bigint;
}

interface RowsProps<Row> {
  /** Accessible name of the list: "Submissions". */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly pages: Pages<Row>;
  readonly keyOf: (row: Row) => string;
  /** Text for an empty list. */
  readonly nothing: string;
  /** Text for a list that has reached the maximum number of rows. */
  readonly beyond?: string;
  /** Present when rows can be selected. */
  readonly choosing?: Choosing<Row> | undefined;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic },
});

/**
 * A virtualised list of up to 10,000 rows. Scrolling to the end loads more, and a click on a column head sorts the
 * loaded rows. Place it last on its screen: content below it would move away while a person scrolls.
 */
export function Rows<Row extends object>({
  label,
  columns,
  pages,
  keyOf,
  nothing,
  beyond = ASK_FOR_LESS,
  choosing,
}: RowsProps<Row>) {
  const { rows: data, error, isFetching, isFetchingMore, hasMore, waitsToBeAsked, fetchMore } = pages;
  const place = useRef<HTMLDivElement>(null);
  const defined = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map(({ name, cell, order }) =>
      helper.accessor((row): unknown => order?.(row), {
        id: name,
        header: name,
        cell: ({ row }) => cell(row.original),
        enableSorting: order !== undefined,
        sortFn: 'basic',
      }),
    );
  }, [columns]);
  const table = useTable({ features, columns: defined, data, getRowId: keyOf });
  const { rows } = table.getRowModel();
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: place.current?.offsetTop ?? 0,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const drawn = virtual.getVirtualItems();
  const above = (drawn[0]?.start ?? 0) - virtual.options.scrollMargin;
  const below =
    virtual.getTotalSize() +
    virtual.options.scrollMargin -
    (drawn.at(-1)?.end ?? virtual.options.scrollMargin);
  const isAtEnd = (drawn.at(-1)?.index ?? -1) >= rows.length - 1;
  useEffect(() => {
    if (rows.length > 0 && isAtEnd && hasMore && !waitsToBeAsked && !isFetching && !error) fetchMore();
  }, [rows.length, isAtEnd, hasMore, waitsToBeAsked, isFetching, error, fetchMore]);

  return (
    <>
      {error ? <p role="alert">This cannot be shown: {sentenceOf(error)}</p> : null}
      <Scrolled ref={place} label={`${label}, a table that scrolls`}>
        <table
          className="bp6-html-table bp6-compact"
          aria-label={label}
          aria-busy={isFetching}
          aria-rowcount={hasMore ? -1 : rows.length + 1}
        >
          <thead>
            <tr>
              {choosing ? (
                <th scope="col">
                  <ChooseAll choosing={choosing} keys={rows.map(({ id }) => id)} />
                </th>
              ) : null}
              {table.getFlatHeaders().map((header) => {
                const sorted = header.column.getIsSorted();
                return (
                  <th scope="col" key={header.id} aria-sort={sorted ? ARIA[sorted] : undefined}>
                    {header.column.getCanSort() ? (
                      <button type="button" className="order" onClick={() => header.column.toggleSorting()}>
                        {header.id}
                        {sorted ? ARROWS[sorted] : ''}
                      </button>
                    ) : (
                      header.id
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            <Gap px={above} />
            {drawn.map(({ index, key }) => {
              const row = rows[index];
              if (!row) return null;
              return (
                <tr key={key} aria-rowindex={index + 2} data-index={index} ref={virtual.measureElement}>
                  {choosing ? (
                    <td>
                      <ChooseOne choosing={choosing} row={row.original} rowKey={row.id} />
                    </td>
                  ) : null}
                  {row.getAllCells().map((cell, number) =>
                    number === 0 ? (
                      <th scope="row" key={cell.id}>
                        <table.FlexRender cell={cell} />
                      </th>
                    ) : (
                      <td key={cell.id}>
                        <table.FlexRender cell={cell} />
                      </td>
                    ),
                  )}
                </tr>
              );
            })}
            <Gap px={below} />
          </tbody>
        </table>
      </Scrolled>
      {rows.length === 0 && !isFetching && !error && !hasMore ? <p>{nothing}</p> : null}
      {hasMore ? (
        <Button onClick={fetchMore} loading={isFetchingMore}>
          Look further
        </Button>
      ) : null}
      {rows.length >= MOST_ROWS ? <p>{beyond}</p> : null}
    </>
  );
}

/** Fills the space of rows that are not rendered. */
const Gap = ({ px }: { readonly px: number }) =>
  px > 0 ? (
    <tr>
      <td style={{ height: px, padding: 0 }} />
    </tr>
  ) : null;
