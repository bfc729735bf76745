import { Button, Group, Paper, Skeleton, Text, Title, UnstyledButton } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { withNoun } from '../format.ts';
import { useChosenColumns } from './chosen-columns.tsx';
import { type Column, nextSorting, rowHeaderOf, type Sorting, sortRows } from './column.ts';
import { DataRows } from './data-rows.tsx';
import { LoadError } from './load-error.tsx';
import { NewRows } from './new-rows.tsx';
import { MAX_ROWS, type PagedList } from './paged-list.ts';
import { type RowSelection, SelectAll } from './selection.tsx';
import { columnClass } from './simple-table.tsx';

export type { Column } from './column.ts';

const STICKY = { position: 'sticky', top: 0, zIndex: 1, background: 'var(--mantine-color-body)' } as const;
const ARROWS = { asc: '\u00a0↑', desc: '\u00a0↓' } as const;
const ARIA = { asc: 'ascending', desc: 'descending' } as const;

/**
 * A virtual table of up to 10,000 rows with a sticky header. Scrolling to the end loads more, a click on a column head
 * sorts a list that is loaded completely, and the person chooses the columns. `j` and `k` move, and Enter opens. On a
 * phone, each row is a card.
 */
export function DataTable<Row extends object>({
  label,
  noun,
  plural = `${noun}s`,
  columns,
  list,
  keyOf,
  empty,
  limitReached = `Only the first ${MAX_ROWS.toLocaleString('en-GB')} ${plural} are shown. Add a filter to narrow the list.`,
  hasTitle = false,
  actions,
  selection,
  onOpen,
}: {
  /** Accessible name of the list: "Submissions". */
  readonly label: string;
  /** What a row is: "submission". */
  readonly noun: string;
  readonly plural?: string;
  readonly columns: readonly Column<Row>[];
  readonly list: PagedList<Row>;
  readonly keyOf: (row: Row) => string;
  /** What an empty list means, and what to do. */
  readonly empty: ReactNode;
  /** Text for a list that has reached the maximum number of rows. */
  readonly limitReached?: string;
  /** Whether the label is also a heading above the list. */
  readonly hasTitle?: boolean;
  /** Buttons above the list. */
  readonly actions?: ReactNode;
  /** Present when rows can be selected. */
  readonly selection?: RowSelection<Row> | undefined;
  /** Present when a click opens a row, and Enter the row that `j` and `k` move to. */
  readonly onOpen?: (row: Row) => void;
}) {
  const { rows: loaded, error, isFetching, isFetchingMore, hasMore, loadMore, refresh } = list;
  const [visible, chooser] = useChosenColumns(label, columns);
  const [sorting, setSorting] = useState<Sorting>();
  const sorted = hasMore ? undefined : sorting;
  const rows = useMemo(() => sortRows(loaded, visible, sorted), [loaded, visible, sorted]);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const isEmpty = rows.length === 0;
  const isLoading = isEmpty && (isFetching || list.isPending === true) && !error;
  const retry = refresh ? { onRetry: refresh } : {};
  if (error && isEmpty) return <LoadError error={error} {...retry} />;
  return (
    <div>
      {error ? <LoadError error={error} isStale {...retry} /> : null}
      <Group justify="flex-end" gap="xs" mb={6}>
        {hasTitle ? <Title order={2}>{label}</Title> : null}
        <Text size="xs" c="dimmed" mr="auto">
          {isLoading
            ? 'Loading…'
            : hasMore
              ? `${rows.length.toLocaleString('en-GB')}+ ${plural}`
              : withNoun(rows.length, noun, plural)}
        </Text>
        <NewRows list={list} keyOf={keyOf} place={place} />
        {actions}
        {refresh ? (
          <Button size="compact-xs" onClick={refresh} loading={isFetching && !isFetchingMore}>
            Refresh
          </Button>
        ) : null}
        {chooser}
      </Group>
      <Paper
        component="section"
        className="frame"
        withBorder
        ref={setPlace}
        mah="max(320px, calc(100dvh - 220px))"
        style={{ overflow: 'auto' }}
        aria-label={`${label}, scrollable`}
        // A scrollable region must be reachable by keyboard.
        tabIndex={0}
      >
        <table aria-label={label} aria-busy={isFetching} aria-rowcount={hasMore ? -1 : rows.length + 1}>
          <thead style={STICKY}>
            <tr>
              {selection ? (
                <th scope="col" className="select">
                  <SelectAll selection={selection} keys={rows.map(keyOf)} plural={plural} />
                </th>
              ) : null}
              {visible.map((column) => (
                <Head
                  key={column.name}
                  column={column}
                  direction={sorted ? sorted.name === column.name && sorted.direction : column.listOrder}
                  onSort={
                    column.order && !hasMore
                      ? () => setSorting(nextSorting(loaded, column, sorting))
                      : undefined
                  }
                />
              ))}
            </tr>
          </thead>
          <DataRows
            label={label}
            rows={rows}
            place={place}
            columns={visible}
            rowHeader={rowHeaderOf(columns)}
            list={list}
            keyOf={keyOf}
            selection={selection}
            onOpen={onOpen}
          />
        </table>
        {isLoading ? <Skeleton className="loading" height={160} radius={0} /> : null}
        {isEmpty && !isLoading && !hasMore ? (
          <Text component="div" c="dimmed" ta="center" p="xl">
            {empty}
          </Text>
        ) : null}
      </Paper>
      {hasMore ? (
        <Button mt="xs" onClick={loadMore} loading={isFetchingMore}>
          Load more
        </Button>
      ) : null}
      {rows.length >= MAX_ROWS ? <p>{limitReached}</p> : null}
    </div>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly direction: keyof typeof ARROWS | false | undefined;
  readonly onSort: (() => void) | undefined;
}

function Head<Row>({ column: { name, isNumber, isMinor, width }, direction, onSort }: HeadProps<Row>) {
  const text = `${name}${direction ? ARROWS[direction] : ''}`;
  return (
    <th
      scope="col"
      className={columnClass(isNumber, isMinor)}
      aria-sort={direction ? ARIA[direction] : undefined}
      style={{ width }}
    >
      {onSort ? (
        <UnstyledButton fz="inherit" fw="inherit" onClick={onSort}>
          {text}
        </UnstyledButton>
      ) : (
        text
      )}
    </th>
  );
}
