import {
  type CreateEndpointResponse,
  type PreflightEndpointResponse,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { untilEventIsSettled } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = WebhookService.method;
const OF = '01998c1e-7d5c-7000-8000-000000000001 --environment sandbox';
const EVENT_COLUMNS = ['event_id', 'submission_id', 'change', 'state', 'recorded_at', 'settled_at'];

export const webhookCommands: readonly Declaration[] = [
  declare('endpoints create', rpc.createEndpoint, {
    given: ['account_id'],
    notes:
      'The answer and that of `rotate-secret` are the only places where the signing secret is ever shown.',
    answersNo: (answer) =>
      (answer as CreateEndpointResponse).secretAlreadyShown
        ? 'the secret was in an earlier answer and is kept nowhere: if nobody has it, replace it with `sss endpoints rotate-secret`'
        : undefined,
    example: `${OF} --url https://broker.example/webhooks`,
  }),
  declare('endpoints list', rpc.listEndpoints, {
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
    given: ['account_id'],
    summary: 'Where the events of an account go, and whether they arrive.',
    example: OF,
  }),
  declare('endpoints set-url', rpc.updateEndpointUrl, {
    given: ['account_id'],
    example: `${OF} --url https://broker.example/webhooks`,
  }),
  declare('endpoints enable', rpc.enableEndpoint, { given: ['account_id'], example: OF }),
  declare('endpoints disable', rpc.disableEndpoint, {
    given: ['account_id'],
    irreversible: 'What happens while the endpoint is disabled is never delivered.',
    example: `${OF} --yes`,
  }),
  declare('endpoints rotate-secret', rpc.rotateSecret, {
    given: ['account_id'],
    irreversible:
      'The present signing secret stops at once: the supplier refuses events until it has the new one.',
    example: `${OF} --yes`,
  }),
  declare('endpoints preflight', rpc.preflightEndpoint, {
    given: ['account_id'],
    notes: 'Ends with 9 when events would not arrive.',
    answersNo: (answer) =>
      (answer as PreflightEndpointResponse).ready
        ? undefined
        : 'events would not arrive: the findings say what stands in the way',
    example: OF,
  }),
  declare('events list', rpc.listEndpointEvents, {
    given: ['account_id'],
    columns: EVENT_COLUMNS,
    wide: ['submission_id', 'recorded_at', 'settled_at'],
    example: `${OF} --states exhausted,expired --recorded-since -24h`,
  }),
  declare('events of', rpc.listEvents, {
    given: ['submission_id'],
    columns: EVENT_COLUMNS,
    wide: ['submission_id', 'recorded_at', 'settled_at'],
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('events show', rpc.getEvent, {
    given: ['event_id'],
    example: '01998c1e-7d5c-7000-8000-000000000006 --purpose "receiver answered 500"',
  }),
  declare('events test', rpc.sendTestEvent, {
    given: ['submission_id'],
    wait: untilEventIsSettled,
    example: '01998c1e-7d5c-7000-8000-000000000003 --wait',
  }),
  declare('events redeliver', rpc.redeliverEvent, {
    given: ['event_id'],
    wait: untilEventIsSettled,
    example: '01998c1e-7d5c-7000-8000-000000000006 --wait',
  }),
  declare('events redeliver-exhausted', rpc.redeliverExhausted, {
    given: ['account_id'],
    wait: untilEventIsSettled,
    notes: 'At most 200 submissions in one call: `more` says whether to call again.',
    example: `${OF} --since -24h --wait`,
  }),
];
