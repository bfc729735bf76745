import type { Environment } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { billing, submissions, webhooks } from './calls.ts';

/** The selection that figures are requested for. */
export interface FiguresOf {
  readonly environment: Environment;
  readonly fromDay: string;
  readonly untilDay: string;
  readonly accountId?: string;
}

/** Accounts in the response of figures, which omits the others. */
export const MAX_ACCOUNTS = 50;
const highest = (what: string) =>
  `Only the ${MAX_ACCOUNTS} suppliers with the ${what} are shown. Filter by a supplier to see others.`;
export const HIGHEST_CHARGES = highest('highest charges');
export const MOST_SUBMISSIONS = highest('most submissions');

/** Daily figures need less frequent updates than queues. */
export const figuresQuery = { refetchInterval: 60_000, staleTime: 30_000 } as const;

/** Returns submissions by day and by supplier. */
export const useIntake = (of: FiguresOf, isAllowed = true) =>
  useQuery({
    ...figuresQuery,
    queryKey: ['intake', of],
    enabled: isAllowed,
    queryFn: ({ signal }) => submissions.getIntake(of, { signal }),
  });

/** Returns webhook deliveries by day. */
export const useDeliveries = (of: FiguresOf) =>
  useQuery({
    ...figuresQuery,
    queryKey: ['delivery-figures', of],
    queryFn: ({ signal }) => webhooks.getDeliveryFigures(of, { signal }),
  });

/** Returns charges and credits by day or month, and by supplier. */
export const useValue = (of: Omit<FiguresOf, 'environment'> & { readonly byMonth: boolean }) =>
  useQuery({
    ...figuresQuery,
    queryKey: ['billable-value', of],
    queryFn: ({ signal }) => billing.getBillableValue(of, { signal }),
  });
