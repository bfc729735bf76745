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
export const HIGHEST_CHARGES = `Only the ${MAX_ACCOUNTS} suppliers with the highest charges are shown. Filter by a supplier to see others.`;

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
export const useValue = (
  of: Omit<FiguresOf, 'environment'> & { readonly byMonth?: boolean },
  isAllowed = true,
) =>
  useQuery({
    ...figuresQuery,
    queryKey: ['billable-value', of],
    enabled: isAllowed,
    queryFn: ({ signal }) => billing.getBillableValue(of, { signal }),
  });
