import { BillingService } from '@supplier/proto/billing/v1/billing';
import type { Environment } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { queryOf } from './calls.ts';

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
    ...queryOf(SubmissionService.method.getIntake, of),
    enabled: isAllowed,
  });

/** Returns webhook deliveries by day. */
export const useDeliveries = (of: FiguresOf) =>
  useQuery({ ...figuresQuery, ...queryOf(WebhookService.method.getDeliveryFigures, of) });

/** Returns charges and credits by day or month, and by supplier. */
export const useValue = (
  of: Omit<FiguresOf, 'environment'> & { readonly byMonth?: boolean },
  isAllowed = true,
) =>
  useQuery({
    ...figuresQuery,
    ...queryOf(BillingService.method.getBillableValue, of),
    enabled: isAllowed,
  });
