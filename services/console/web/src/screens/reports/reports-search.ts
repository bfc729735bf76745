import { Environment } from '@supplier/proto/common/v1/status';
import { UUID } from '../../format.ts';

/** The selectable numbers of days. */
export const SPANS = [7, 30, 90] as const;

/** The selection, which is part of the URL. By default, the last 30 days of all suppliers. */
export interface ReportsSearch {
  /** The environment that a link switches to. */
  readonly environment?: Environment.SANDBOX | Environment.PRODUCTION;
  readonly days?: (typeof SPANS)[number];
  readonly account?: string;
}

/** Returns the valid selection of a URL. Anything else is dropped. */
export function reportsSearch(given: Record<string, unknown>): ReportsSearch {
  const { account } = given;
  const environment = [Environment.SANDBOX as const, Environment.PRODUCTION as const].find(
    (one) => one === Number(given.environment),
  );
  const days = SPANS.find((span) => span === Number(given.days));
  return {
    ...(environment ? { environment } : {}),
    ...(days ? { days } : {}),
    ...(typeof account === 'string' && UUID.test(account) ? { account } : {}),
  };
}
