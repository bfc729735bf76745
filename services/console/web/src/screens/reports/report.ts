import type { FunctionComponent } from 'react';
import type { FiguresOf } from '../../figures-query.ts';

/** The selection that a report is about. */
export interface ReportOf extends FiguresOf {
  /** Whether value is by month instead of by day. */
  readonly byMonth: boolean;
}

/** A section of the reports. */
export type Report = FunctionComponent<{ readonly of: ReportOf }>;
