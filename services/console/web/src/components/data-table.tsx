import {
  Button,
  Checkbox,
  Group,
  Paper,
  Popover,
  Skeleton,
  Text,
  Title,
  UnstyledButton,
} from '@mantine/core';
import { useHotkeys, useLocalStorage } from '@mantine/hooks';
import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_basic,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { outsideFields } from '../shell/shortcuts.ts';
import { LoadError } from './load-error.tsx';
import { MAX_ROWS, type PagedList } from './paged-list.ts';
import { type RowSelection, SelectAll, SelectRow } from './selection.tsx';
import { columnClass } from './simple-table.tsx';

const ROW_PX = 37;
/** Extra rows rendered above and below the visible ones, so that scrolling shows no gap. */
const OVERSCAN = 20;
const LIMIT_REACHED = `Only the first ${MAX_ROWS.toLocaleString('en-GB')} rows are shown. Add a filter to narrow the list.`;
const STICKY = { position: 'sticky', top: 0, zIndex: 1, background: 'var(--mantine-color-body)' } as const;
const ARROWS = { asc: ' ↑', desc: ' ↓' } as const;
const ARIA = { asc: 'ascending', desc: 'descending' } as const;
/** The shortcut itself decides whether the browser handles the key. */
const KEEP_DEFAULT = { preventDefault: false };

/** One column of a list. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Sort key of a row. Omitted for columns that can't be sorted. */
  readonly order?: (row: Row) => string | number | bigint;
  /** Set for the column by which the service sorts the list. */
  readonly listOrder?: 'asc' | 'desc';
  readonly isNumber?: boolean;
  /** Whether it names the row. Otherwise the first column does. */
  readonly isRowHeader?: boolean;
  /** Whether the column is left out where the list is narrow, unless the person chooses it. */
  readonly isMinor?: boolean;
  /** Whether the column is hidden until the person chooses it. */
  readonly isOptional?: boolean;
}

interface DataTableProps<Row> {
  /** Accessible name of the list: "Submissions". */
  readonly label: string;
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
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic },
});

/**
 * A virtual table of up to 10,000 rows with a sticky header. Scrolling to the end loads more, a click on a column head
 * sorts a list that is loaded completely, and the person chooses the columns. `j` and `k` move, and Enter opens. On a
 * phone, each row is a card.
 */
export function DataTable<Row extends object>({
  label,
  columns,
  list,
  keyOf,
  empty,
  limitReached = LIMIT_REACHED,
  hasTitle = false,
  actions,
  selection,
  onOpen,
}: DataTableProps<Row>) {
  const { rows: data, error, isFetching, isFetchingMore, hasMore, needsClick, loadMore, refresh } = list;
  const [visible, chooser] = useColumns(label, columns);
  const place = useRef<HTMLElement>(null);
  const defined = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return visible.map(({ name, cell, order }) =>
      helper.accessor((row): unknown => order?.(row), {
        id: name,
        header: name,
        cell: ({ row }) => cell(row.original),
        enableSorting: order !== undefined && !hasMore,
        sortFn: 'basic',
      }),
    );
  }, [visible, hasMore]);
  const table = useTable({ features, columns: defined, data, getRowId: keyOf });
  const { rows } = table.getRowModel();
  const virtual = useVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    getScrollElement: () => place.current,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const drawn = virtual.getVirtualItems();
  const isAtEnd = (drawn.at(-1)?.index ?? -1) >= rows.length - 1;
  useEffect(() => {
    if (isAtEnd && hasMore && !needsClick && !isFetching && !error) loadMore();
  }, [isAtEnd, hasMore, needsClick, isFetching, error, loadMore]);
  const [active, setActive] = useState(-1);
  const move = (by: number) => {
    const next = Math.min(Math.max(active + by, 0), rows.length - 1);
    setActive(next);
    virtual.scrollToIndex(next);
    // Otherwise Enter would press the control that has the focus.
    place.current?.focus({ preventScroll: true });
  };
  const openActive = () => {
    const row = rows[active]?.original;
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
  const openRow = (index: number, event: MouseEvent) => {
    const isControl = (event.target as Element).closest('a, button, input, label') !== null;
    if (isControl || window.getSelection()?.toString()) return;
    setActive(index);
    const row = rows[index]?.original;
    if (row) onOpen?.(row);
  };
  const headers = table.getFlatHeaders();
  const isSorted = headers.some(({ column }) => column.getIsSorted());
  const rowHeader = rowHeaderOf(columns);
  const classes = new Map(
    visible.map(({ name, isNumber, isMinor }) => [name, columnClass(isNumber, isMinor)]),
  );

  const retry = refresh ? { onRetry: refresh } : {};
  if (error && rows.length === 0) return <LoadError error={error} {...retry} />;
  return (
    <div>
      {error ? <LoadError error={error} isStale {...retry} /> : null}
      <Group justify="flex-end" gap="xs" mb={6}>
        {hasTitle ? <Title order={2}>{label}</Title> : null}
        <Text size="xs" c="dimmed" mr="auto">
          {rows.length === 0 && isFetching
            ? 'Loading…'
            : `${rows.length.toLocaleString('en-GB')}${hasMore ? '+' : ''} ${rows.length === 1 ? 'row' : 'rows'}`}
        </Text>
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
        ref={place}
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
                  <SelectAll selection={selection} keys={rows.map(({ id }) => id)} />
                </th>
              ) : null}
              {headers.map((header) => {
                const listOrder = visible.find(({ name }) => name === header.id)?.listOrder;
                const sorted = header.column.getIsSorted() || (!isSorted && listOrder);
                return (
                  <th
                    scope="col"
                    key={header.id}
                    className={classes.get(header.id)}
                    aria-sort={sorted ? ARIA[sorted] : undefined}
                  >
                    {header.column.getCanSort() ? (
                      <UnstyledButton fz="inherit" fw="inherit" onClick={() => header.column.toggleSorting()}>
                        {header.id}
                        {sorted ? ARROWS[sorted] : ''}
                      </UnstyledButton>
                    ) : (
                      `${header.id}${sorted ? ARROWS[sorted] : ''}`
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            <Gap px={drawn[0]?.start ?? 0} />
            {drawn.map(({ index, key }) => {
              const row = rows[index];
              if (!row) return null;
              return (
                <tr
                  key={key}
                  style={onOpen ? { cursor: 'pointer' } : undefined}
                  onClick={onOpen ? (event) => openRow(index, event) : undefined}
                  aria-rowindex={index + 2}
                  aria-selected={selection?.isSelected(row.id)}
                  data-active={index === active || undefined}
                  data-index={index}
                  ref={virtual.measureElement}
                >
                  {selection ? (
                    <td className="select">
                      <SelectRow selection={selection} row={row.original} rowKey={row.id} />
                    </td>
                  ) : null}
                  {row.getAllCells().map((cell) =>
                    cell.column.id === rowHeader ? (
                      <th scope="row" key={cell.id}>
                        <table.FlexRender cell={cell} />
                      </th>
                    ) : (
                      <td key={cell.id} data-label={cell.column.id} className={classes.get(cell.column.id)}>
                        <table.FlexRender cell={cell} />
                      </td>
                    ),
                  )}
                </tr>
              );
            })}
            <Gap px={virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0)} />
          </tbody>
        </table>
        {rows.length === 0 && isFetching ? <Skeleton height={160} radius={0} /> : null}
        {rows.length === 0 && !isFetching && !error && !hasMore ? (
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

const rowHeaderOf = <Row,>(columns: readonly Column<Row>[]): string | undefined =>
  (columns.find(({ isRowHeader }) => isRowHeader) ?? columns[0])?.name;

/** Returns the visible columns, which the browser remembers for each list, and the menu that chooses them. */
function useColumns<Row>(
  label: string,
  columns: readonly Column<Row>[],
): [readonly Column<Row>[], ReactNode] {
  const [changed, setChanged] = useLocalStorage<Record<string, boolean>>({
    key: `columns of ${label}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const isVisible = ({ name, isOptional = false }: Column<Row>) => changed[name] ?? !isOptional;
  const rowHeader = rowHeaderOf(columns);
  const visible = columns
    .filter((column) => column.name === rowHeader || isVisible(column))
    .map((column) => (changed[column.name] ? { ...column, isMinor: false } : column));
  const key = visible.map(({ name, isMinor }) => `${name} ${isMinor}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are in `key`
  const stable = useMemo(() => visible, [key, columns]);
  const chooser = (
    <Popover position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button size="compact-xs">Columns</Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        {columns
          .filter(({ name }) => name !== rowHeader)
          .map((column) => (
            <Checkbox
              key={column.name}
              size="xs"
              mb={6}
              label={column.name}
              checked={isVisible(column)}
              onChange={(event) => setChanged({ ...changed, [column.name]: event.currentTarget.checked })}
            />
          ))}
      </Popover.Dropdown>
    </Popover>
  );
  return [stable, chooser];
}

/** Fills the space of rows that are not rendered. */
const Gap = ({ px }: { readonly px: number }) =>
  px > 0 ? (
    <tr className="gap">
      <td style={{ height: px, padding: 0 }} />
    </tr>
  ) : null;
