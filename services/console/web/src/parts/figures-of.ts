import type { Environment } from '@supplier/proto/common/v1/status';

/** What figures are asked of. */
export interface FiguresOf {
  readonly environment: Environment;
  readonly fromDay: string;
  readonly untilDay: string;
  readonly accountId?: string;
}

/** Figures of days need not be looked at as often as what waits. */
export const figuresQuery = { refetchInterval: 60_000, staleTime: 30_000 } as const;

/** One number of each row, as plots take them. */
export const numbersOf = <Row>(rows: readonly Row[], pick: (row: Row) => bigint | undefined) =>
  rows.map((row) => {
    const value = pick(row);
    return value === undefined ? null : Number(value);
  });
