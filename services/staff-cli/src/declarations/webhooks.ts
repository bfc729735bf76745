import {
  type CreateEndpointResponse,
  type PreflightEndpointResponse,
  type RotateSecretResponse,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { lastFailedAttempt } from '../calls/last-failed-attempt.ts';
import { untilAttemptHasEnded, untilEventIsSettled } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = WebhookService.method;
const OF = '01998c1e-7d5c-7000-8000-000000000001 --environment sandbox';
const EVENT_COLUMNS = ['event_id', 'submission_id', 'change', 'state', 'recorded_at', 'settled_at'];

export const webhookCommands: readonly Declaration[] = [
  declare('endpoints create', rpc.createEndpoint, {
    summary: 'Create an endpoint',
    positional: ['account_id'],
    notes: 'The signing secret is shown only here and by `sss endpoints rotate-secret`.',
    negativeResult: (answer) =>
      (answer as CreateEndpointResponse).secretAlreadyShown
        ? 'the secret was shown before and is not stored: if you do not have it, run `sss endpoints rotate-secret`'
        : undefined,
    example: `${OF} --url https://broker.example/webhooks`,
  }),
  declare('endpoints list', rpc.listEndpoints, {
    summary: 'List endpoints',
    columns: [
      'endpoint.account_id',
      'endpoint.environment',
      'endpoint.enabled',
      'endpoint.failing_since',
      'waiting',
      'oldest_waiting_since',
      'endpoint.url',
    ],
    wide: ['endpoint.failing_since', 'waiting', 'oldest_waiting_since'],
    example: '--failing',
  }),
  declare('endpoints show', rpc.getEndpoint, {
    summary: 'Show an endpoint and its health',
    positional: ['account_id'],
    notes: 'Of a failing endpoint, it also shows the last failed attempt.',
    related: lastFailedAttempt,
    example: OF,
  }),
  declare('endpoints set-url', rpc.updateEndpointUrl, {
    summary: 'Change the URL of an endpoint',
    positional: ['account_id'],
    example: `${OF} --url https://broker.example/webhooks`,
  }),
  declare('endpoints enable', rpc.enableEndpoint, {
    summary: 'Enable an endpoint',
    positional: ['account_id'],
    example: OF,
  }),
  declare('endpoints disable', rpc.disableEndpoint, {
    summary: 'Disable an endpoint',
    positional: ['account_id'],
    irreversible:
      'Changes are not recorded for the endpoint while it is disabled, and are never delivered to it.',
    example: `${OF} --yes`,
  }),
  declare('endpoints rotate-secret', rpc.rotateSecret, {
    summary: 'Replace the signing secret',
    positional: ['account_id'],
    irreversible:
      'The present signing secret stops working immediately. The supplier will reject events until it has the new one.',
    negativeResult: (answer) =>
      (answer as RotateSecretResponse).secretAlreadyShown
        ? 'the secret was shown before and is not stored: if you do not have it, run the command again without the key'
        : undefined,
    example: `${OF} --yes`,
  }),
  declare('endpoints preflight', rpc.preflightEndpoint, {
    summary: 'Test an endpoint without recording anything',
    positional: ['account_id'],
    notes: 'Exits with 9 if events would not be delivered.',
    negativeResult: (answer) =>
      (answer as PreflightEndpointResponse).ready
        ? undefined
        : 'events would not be delivered: see the findings',
    example: OF,
  }),
  declare('events list', rpc.listEndpointEvents, {
    summary: 'List the events of an endpoint',
    positional: ['account_id'],
    columns: EVENT_COLUMNS,
    wide: ['submission_id', 'recorded_at', 'settled_at'],
    example: `${OF} --states exhausted,expired --recorded-since -24h`,
  }),
  declare('events of', rpc.listEvents, {
    summary: 'List the events of a submission',
    positional: ['submission_id'],
    columns: EVENT_COLUMNS,
    wide: ['submission_id', 'recorded_at', 'settled_at'],
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('events show', rpc.getEvent, {
    summary: 'Show an event with its attempts',
    positional: ['event_id'],
    example: '01998c1e-7d5c-7000-8000-000000000006 --purpose "receiver answered 500"',
  }),
  declare('events test', rpc.sendTestEvent, {
    summary: 'Send a test event',
    positional: ['submission_id'],
    wait: untilEventIsSettled,
    example: '01998c1e-7d5c-7000-8000-000000000003 --wait',
  }),
  declare('events send-now', rpc.sendEventNow, {
    summary: 'Send a pending event now',
    positional: ['event_id'],
    wait: untilAttemptHasEnded,
    notes: 'The attempt counts towards the 8 of the event.',
    example: '01998c1e-7d5c-7000-8000-000000000006 --wait',
  }),
  declare('events send-pending', rpc.sendPendingEvents, {
    summary: 'Send the pending events of an endpoint now',
    positional: ['account_id'],
    notes: 'Use it when the receiver works again. If `more` is yes, run it again.',
    example: `${OF} --recorded-since -24h`,
  }),
  declare('events redeliver', rpc.redeliverEvent, {
    summary: 'Redeliver an event',
    positional: ['event_id'],
    wait: untilEventIsSettled,
    example: '01998c1e-7d5c-7000-8000-000000000006 --wait',
  }),
  declare('events redeliver-since', rpc.redeliverSince, {
    summary: 'Redeliver the events of an endpoint since a time',
    positional: ['account_id'],
    wait: untilEventIsSettled,
    notes:
      'Redelivers exhausted and expired events, and with `--delivered-until` delivered ones, for at most 200 submissions. If `more` is yes, run it again with the same times.',
    example: `${OF} --since -24h --wait`,
  }),
];
