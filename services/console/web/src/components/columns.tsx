import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { visible } from '@supplier/lib/text/visible';
import type { Column } from './data-table.tsx';
import { Mono } from './mono.tsx';
import { RelativeTime } from './time.tsx';

type More<Row> = Partial<Column<Row>>;

/** A column of texts. */
export const textColumn = <Row,>(
  name: string,
  textOf: (row: Row) => string,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => visible(textOf(row)),
  order: textOf,
  ...more,
});

/** A column of ids. */
export const idColumn = <Row,>(
  name: string,
  idOf: (row: Row) => string,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => <Mono>{visible(idOf(row))}</Mono>,
  order: idOf,
  ...more,
});

/** A column of relative times. */
export const timeColumn = <Row,>(
  name: string,
  timeOf: (row: Row) => Timestamp | undefined,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => <RelativeTime at={timeOf(row)} />,
  order: (row) => timeOf(row)?.seconds ?? 0n,
  ...more,
});
