import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type Declaration, declare } from './declaration.ts';

export const figureCommands: readonly Declaration[] = [
  declare('figures intake', SubmissionService.method.getIntake, {
    required: ['from_day', 'until_day'],
    example: '--environment production --from-day 2026-11-01 --until-day 2026-11-30',
  }),
  declare('figures deliveries', WebhookService.method.getDeliveryFigures, {
    required: ['from_day', 'until_day'],
    example: '--environment production --from-day 2026-11-01 --until-day 2026-11-30',
  }),
];
