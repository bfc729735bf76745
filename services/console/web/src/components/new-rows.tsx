import { Button } from '@mantine/core';
import { newRows, type PagedList } from './paged-list.ts';

/** The number of rows that a list has got since it was loaded, as a button that loads them. */
export function NewRows<Row>({
  list: { rows, latest = [], hasMore, refresh },
  keyOf,
  place,
}: {
  readonly list: PagedList<Row>;
  readonly keyOf: (row: Row) => string;
  /** What scrolls. */
  readonly place: HTMLElement | null;
}) {
  const [known, now] = [rows.map(keyOf), latest.map(keyOf)];
  const count = newRows(now, known, !hasMore);
  const showNew = () => {
    refresh?.();
    if (now[0] !== undefined && !known.includes(now[0])) place?.scrollTo({ top: 0 });
  };
  return (
    <div role="status">
      {count === '' ? null : (
        <Button size="compact-xs" variant="light" onClick={showNew}>
          {count} new
        </Button>
      )}
    </div>
  );
}
