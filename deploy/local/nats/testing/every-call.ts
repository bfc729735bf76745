import { NATS_USERS, STREAMS, SUBSCRIPTIONS } from '@supplier/lib/events/event-bus';

const STREAM_CALLS = [
  ...['STREAM.CREATE', 'STREAM.UPDATE', 'STREAM.DELETE', 'STREAM.PURGE', 'STREAM.INFO', 'STREAM.SNAPSHOT'],
  ...[
    'STREAM.RESTORE',
    'STREAM.MSG.GET',
    'STREAM.MSG.DELETE',
    'STREAM.PEER.REMOVE',
    'STREAM.LEADER.STEPDOWN',
  ],
  ...['STREAM.TEMPLATE.CREATE', 'STREAM.TEMPLATE.INFO', 'STREAM.TEMPLATE.DELETE'],
  ...['CONSUMER.CREATE', 'CONSUMER.NAMES', 'CONSUMER.LIST', 'DIRECT.GET', 'ACCOUNT.PURGE'],
];
const CONSUMER_CALLS = [
  ...['CONSUMER.CREATE', 'CONSUMER.DURABLE.CREATE', 'CONSUMER.INFO', 'CONSUMER.DELETE', 'CONSUMER.MSG.NEXT'],
  ...['CONSUMER.PAUSE', 'CONSUMER.UNPIN', 'CONSUMER.LEADER.STEPDOWN'],
];
const OTHER_CALLS = [
  ...[
    'INFO',
    'STREAM.NAMES',
    'STREAM.LIST',
    'STREAM.TEMPLATE.NAMES',
    'META.LEADER.STEPDOWN',
    'SERVER.REMOVE',
  ],
  ...[
    'ACCOUNT.STREAM.MOVE.supplier-events.SUBMISSION',
    'ACCOUNT.STREAM.CANCEL_MOVE.supplier-events.SUBMISSION',
  ],
];
const CONSUMERS = [...Object.values(SUBSCRIPTIONS).map(({ consumer }) => consumer), 'another'];
const FILTERS = [...Object.values(SUBSCRIPTIONS).map(({ subject }) => subject), 'supplier.>'];

/** Every call of JetStream's API, by nats-server's `jetstream_api.go`, on every stream and durable, and others' subjects. */
export function everyCall(): Map<string, string> {
  const streams = [...Object.values(STREAMS), 'ANOTHER'];
  const ofStream = (stream: string) => [
    ...STREAM_CALLS.map((call) => `${call}.${stream}`),
    `DIRECT.GET.${stream}.supplier.x`,
    ...CONSUMERS.flatMap((consumer) => [
      ...CONSUMER_CALLS.map((call) => `${call}.${stream}.${consumer}`),
      ...FILTERS.map((filter) => `CONSUMER.CREATE.${stream}.${consumer}.${filter}`),
    ]),
  ];
  const calls = [...OTHER_CALLS, ...streams.flatMap(ofStream)].map(
    (call) => [`$JS.API.${call}`, call] as const,
  );
  const acknowledgements = streams.flatMap((stream) =>
    CONSUMERS.map(
      (consumer) => [`$JS.ACK.${stream}.${consumer}.1.1.1.1.0`, `ACK.${stream}.${consumer}`] as const,
    ),
  );
  const internal = [
    ...['$JS.FC.SUBMISSION.billing.x', '$JS.SNAPSHOT.RESTORE.SUBMISSION.x', '$JS.SNAPSHOT.ACK.SUBMISSION.x'],
    ...[
      '$JS.EVENT.ADVISORY.API',
      '$JS.hub.API.STREAM.UPDATE.ACCOUNT',
      '$JSC.R.x',
      '$NRG.V.x',
      '$KV.x.y',
      '$O.x.C.y',
    ],
    ...[
      '$SYS.REQ.SERVER.PING',
      '$SYS.REQ.ACCOUNT.supplier-events.CONNZ',
      '$SRV.PING',
      'anything',
      '_INBOX.x',
    ],
    ...NATS_USERS.map((user) => `_INBOX_${user}.x`),
  ].map((subject) => [subject, subject] as const);
  return new Map([...calls, ...acknowledgements, ...internal]);
}
