import { BillingService } from '@supplier/proto/billing/v1/billing';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type Declaration, declare } from './declaration.ts';

export const figureCommands: readonly Declaration[] = [
  declare('figures intake', SubmissionService.method.getIntake, {
    summary: 'Show submissions received and their outcomes',
    required: ['from_day', 'until_day'],
    example: '--environment production --from-day 2026-11-01 --until-day 2026-11-30',
  }),
  declare('figures deliveries', WebhookService.method.getDeliveryFigures, {
    summary: 'Show webhook deliveries and their outcomes',
    required: ['from_day', 'until_day'],
    example: '--environment production --from-day 2026-11-01 --until-day 2026-11-30',
  }),
  declare('figures value', BillingService.method.getBillableValue, {
    summary: 'Show charges and credits',
    required: ['from_day', 'until_day'],
    example: '--from-day 2026-01-01 --until-day 2026-11-30 --by-month',
  }),
];
